import components from '../../data/catalogue/components.json' with { type: 'json' }
import files from '../../data/catalogue/files.json' with { type: 'json' }
import kubernetes from '../../data/catalogue/kubernetes.json' with { type: 'json' }
import packages from '../../data/catalogue/packages.json' with { type: 'json' }
import zones from '../../data/catalogue/zones.json' with { type: 'json' }
import { fail } from '../error/index.ts'
import type { Catalogue, ComponentRow, FileRow } from './catalogue-schema.ts'
import { compareVersions, minorOf, numberOf, withV } from './version.ts'

/** The processor architectures kubexm installs on. */
export type Arch = 'amd64' | 'arm64'

/** What kubexm knows by itself; a user's file may add to it (`loadCatalogue`). */
export const builtInCatalogue: Catalogue = {
  files: files as Catalogue['files'],
  kubernetes,
  components: components as Catalogue['components'],
  packages,
  zones,
  checksums: {},
}

/** One downloadable file of the catalogue, with the version and architecture filled in. */
export interface CatalogueFile {
  readonly name: string
  readonly version: string
  readonly arch: Arch
  readonly kind: FileRow['kind']
  readonly url: string
  readonly fileName: string
  /** Where the source itself publishes the checksum; null when it does not. */
  readonly checksumUrl: string | null
  /** The checksum when the catalogue has it. */
  readonly sha256: string | null
  /** The folder of the work directory: `<folder>/<version>/<arch>`. */
  readonly folder: string
  /** The programs inside an archive, by their path in it. */
  readonly programs: readonly string[]
}

/** The file of this name, version and architecture. */
export function catalogueFile(catalogue: Catalogue, name: string, version: string, arch: Arch): CatalogueFile {
  const row = catalogue.files[name]
  if (row === undefined) throw missing(`file named ${name}`, Object.keys(catalogue.files))
  if (row.arches !== undefined && !row.arches.includes(arch)) throw missing(`${name} for ${arch}`, row.arches)
  const values = { version, number: numberOf(version), arch, machine: arch === 'amd64' ? 'x86_64' : 'aarch64' }
  const url = fillIn(row.url, values)
  return {
    name,
    version,
    arch,
    kind: row.kind,
    url,
    fileName: url.slice(url.lastIndexOf('/') + 1),
    checksumUrl: row.checksum === null ? null : fillIn(row.checksum, { ...values, url }),
    sha256: catalogue.checksums[url] ?? null,
    folder: row.folder,
    programs: (row.programs ?? []).map((program) => fillIn(program, values)),
  }
}

/** The tags kubeadm of this version expects beside its own images. */
export function kubernetesImageTags(
  catalogue: Catalogue,
  version: string,
): { readonly pause: string; readonly etcd: string; readonly coredns: string } {
  const minor = minorOf(version)
  const row = catalogue.kubernetes.images
    .filter((candidate) => minorOf(candidate.since) === minor && compareVersions(candidate.since, version) <= 0)
    .sort((a, b) => compareVersions(b.since, a.since))[0]
  if (row === undefined) throw missing(`image list for Kubernetes ${version}`, Object.keys(catalogue.kubernetes.minors))
  return row
}

/** The etcd release that belongs to this Kubernetes version: `v3.6.5` for the image tag `3.6.5-0`. */
export const etcdVersionFor = (catalogue: Catalogue, kubernetesVersion: string): string =>
  withV(kubernetesImageTags(catalogue, kubernetesVersion).etcd.replace(/-\d+$/, ''))

/** The crictl release for this Kubernetes version. */
export const crictlVersionFor = (catalogue: Catalogue, kubernetesVersion: string): string => minorRow(catalogue, kubernetesVersion).crictl

/** The version of a component used when the config names none. */
export const defaultVersion = (catalogue: Catalogue, component: string): string => componentRow(catalogue, component).default

/** The images of a component at a version. */
export function componentImages(
  catalogue: Catalogue,
  component: string,
  version = defaultVersion(catalogue, component),
): readonly string[] {
  const row = componentRow(catalogue, component)
  const values = { ...(row.variables?.[row.default] ?? {}), ...(row.variables?.[version] ?? {}), version, number: numberOf(version) }
  return (row.images ?? []).map((image) => fillIn(image, values))
}

/** Null when this containerd goes with this Kubernetes, else the lowest versions of each minor that do. */
export function containerdMismatch(catalogue: Catalogue, containerdVersion: string, kubernetesVersion: string): readonly string[] | null {
  const { containerd } = minorRow(catalogue, kubernetesVersion)
  const sameMinor = containerd.find((lowest) => minorOf(lowest) === minorOf(containerdVersion))
  const newest = [...containerd].sort(compareVersions).at(-1) ?? '0'
  return compareVersions(containerdVersion, sameMinor ?? newest) >= 0 ? null : containerd
}

/** Where a file or image is fetched from: a mirror the user named, a zone, or the publisher. */
export interface Origin {
  /** `https://mirror.example/files`: `<mirror>/<host>/<path>` stands for `https://<host>/<path>`. */
  readonly mirror?: string
  /** `cn`: the zone's own sources. */
  readonly zone?: string
  /** A registry that holds every image under its path without the registry's name; `http://` before it where it speaks no TLS. */
  readonly imageMirror?: string
}

/** The origin the environment asks for: `KUBEXM_MIRROR`, `KUBEXM_REGISTRY_MIRROR`, `KMZONE`. */
export const originFromEnvironment = (environment: Readonly<Record<string, string | undefined>>): Origin => {
  const { KMZONE = '', KUBEXM_MIRROR = '', KUBEXM_REGISTRY_MIRROR = '' } = environment
  return {
    ...(KMZONE === '' ? {} : { zone: KMZONE }),
    ...(KUBEXM_MIRROR === '' ? {} : { mirror: KUBEXM_MIRROR }),
    ...(KUBEXM_REGISTRY_MIRROR === '' ? {} : { imageMirror: KUBEXM_REGISTRY_MIRROR }),
  }
}

/** One origin of several wishes, the strongest first: a zone asked for on the command line is stronger than a mirror of the environment. */
export function chooseOrigin(...wishes: readonly Origin[]): Origin {
  const files = wishes.find(({ mirror, zone }) => mirror !== undefined || zone !== undefined)
  const images = wishes.find(({ imageMirror, zone }) => imageMirror !== undefined || zone !== undefined)
  const zone = wishes.find((wish) => wish.zone !== undefined)?.zone
  return {
    ...(files?.mirror === undefined ? {} : { mirror: files.mirror }),
    ...(images?.imageMirror === undefined ? {} : { imageMirror: images.imageMirror }),
    ...(zone === undefined ? {} : { zone }),
  }
}

/** The address a file is really fetched from. */
export function locate(catalogue: Catalogue, url: string, origin: Origin): string {
  const { host, pathname, search } = new URL(url)
  if (origin.mirror !== undefined) return `${origin.mirror.replace(/\/$/, '')}/${host}${pathname}${search}`
  if (origin.zone === undefined) return url
  return fillIn(zoneRow(catalogue, origin.zone).files, { host, path: `${pathname}${search}` })
}

/** The name an image is really pulled under. */
export function locateImage(catalogue: Catalogue, image: string, origin: Origin): string {
  const slash = image.indexOf('/')
  const [registry, path] = [image.slice(0, slash), image.slice(slash + 1)]
  if (origin.imageMirror !== undefined) return `${origin.imageMirror.replace(/^https?:\/\//, '').replace(/\/$/, '')}/${path}`
  if (origin.zone === undefined) return image
  const replacement = zoneRow(catalogue, origin.zone).images[registry]
  if (replacement === undefined) return image
  // A flat copy of registry.k8s.io has no folders: coredns/coredns is coredns there.
  return registry === 'registry.k8s.io' && !replacement.endsWith(registry)
    ? `${replacement}/${path.slice(path.lastIndexOf('/') + 1)}`
    : `${replacement}/${path}`
}

function zoneRow(catalogue: Catalogue, zone: string): Catalogue['zones'][string] {
  const row = catalogue.zones[zone]
  if (row === undefined) throw missing(`zone ${zone}`, Object.keys(catalogue.zones))
  return row
}

function minorRow(catalogue: Catalogue, version: string): Catalogue['kubernetes']['minors'][string] {
  const row = catalogue.kubernetes.minors[minorOf(version)]
  if (row === undefined) throw missing(`Kubernetes ${minorOf(version)}`, Object.keys(catalogue.kubernetes.minors))
  return row
}

function componentRow(catalogue: Catalogue, component: string): ComponentRow {
  const row = catalogue.components[component]
  if (row === undefined) throw missing(`component ${component}`, Object.keys(catalogue.components))
  return row
}

const missing = (what: string, known: readonly string[]): Error => fail('KX_CATALOGUE_MISSING', { what, known: known.join(', ') })

const fillIn = (template: string, values: Readonly<Record<string, string>>): string =>
  template.replace(/\{([\w-]+)\}/g, (whole, name: string) => values[name] ?? whole)
