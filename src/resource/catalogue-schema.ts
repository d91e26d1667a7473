import { z } from 'zod'

const sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'a sha256 has 64 lower-case hex digits')

const fileRow = z.strictObject({
  /** How the file is installed: as it is, or unpacked. */
  kind: z.enum(['binary', 'archive']),
  folder: z.string().min(1),
  /** With `{version}` (v1.2.3), `{number}` (1.2.3), `{arch}` (amd64) and `{machine}` (x86_64). */
  url: z.string().min(1),
  /** The publisher's own checksum file; `{url}` stands for the file's address. */
  checksum: z.string().min(1).nullable(),
  programs: z.array(z.string()).optional(),
  arches: z.array(z.enum(['amd64', 'arm64'])).optional(),
})

const componentRow = z.strictObject({
  default: z.string().min(1),
  images: z.array(z.string()).optional(),
  /** More placeholders for `images`, by version. */
  variables: z.record(z.string(), z.record(z.string(), z.string())).optional(),
})

const minorRow = z.strictObject({
  crictl: z.string(),
  /** The lowest containerd of each minor that goes with this Kubernetes; newer minors go too. */
  containerd: z.array(z.string()),
  /** The patch release taken when only the minor is asked for. */
  default: z.string(),
})
const systemPackages = z.strictObject({ deb: z.array(z.string()), rpm: z.array(z.string()) })
const imageRow = z.strictObject({ since: z.string(), pause: z.string(), etcd: z.string(), coredns: z.string() })
const zone = z.strictObject({ files: z.string(), images: z.record(z.string(), z.string()) })

/** The whole catalogue. */
export const catalogueSchema = z.strictObject({
  files: z.record(z.string(), fileRow),
  kubernetes: z.strictObject({ minors: z.record(z.string(), minorRow), images: z.array(imageRow) }),
  components: z.record(z.string(), componentRow),
  /** Packages of the distribution, by what they are for and the kind of distribution. */
  packages: z.record(z.string(), systemPackages),
  zones: z.record(z.string(), zone),
  checksums: z.record(z.string(), sha256),
})

/** What a user's file may hold: any part of a catalogue; rows of the same name replace ours field by field. */
export const overrideSchema = z.strictObject({
  files: z.record(z.string(), fileRow.partial()).optional(),
  kubernetes: z
    .strictObject({ minors: z.record(z.string(), minorRow.partial()).optional(), images: z.array(imageRow).optional() })
    .optional(),
  components: z.record(z.string(), componentRow.partial()).optional(),
  packages: z.record(z.string(), systemPackages.partial()).optional(),
  zones: z.record(z.string(), zone.partial()).optional(),
  checksums: z.record(z.string(), sha256).optional(),
})

type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** Versions, sources, checksums, image lists and supported combinations: data, not code. */
export type Catalogue = DeepReadonly<z.infer<typeof catalogueSchema>>
export type FileRow = Catalogue['files'][string]
export type ComponentRow = Catalogue['components'][string]
/** A user's additions. */
export type CatalogueOverride = DeepReadonly<z.infer<typeof overrideSchema>>
