import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'yaml'
import { fail } from '../error/index.ts'
import { builtInCatalogue } from './catalogue.ts'
import { type Catalogue, type CatalogueOverride, catalogueSchema, overrideSchema } from './catalogue-schema.ts'

/** Where a user's additions are looked for when no file is named. */
export const userCatalogueFile = (): string => join(homedir(), '.kubexm', 'catalogue.yaml')

/** The built-in catalogue with a user's file laid over it. A file that was named must exist; the default one need not. */
export async function loadCatalogue(file?: string): Promise<Catalogue> {
  const path = file ?? userCatalogueFile()
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && file === undefined) return null
    throw fail('KX_CATALOGUE', { file: path, why: error.message }, { cause: error })
  })
  return text === null ? builtInCatalogue : mergeCatalogue(builtInCatalogue, parseOverride(text, path), path)
}

/** Reads a user's additions; every mistake in them is named at once. */
export function parseOverride(text: string, file: string): CatalogueOverride {
  let value: unknown
  try {
    value = parse(text) ?? {}
  } catch (error) {
    throw fail('KX_CATALOGUE', { file, why: error instanceof Error ? error.message : String(error) }, { cause: error })
  }
  const result = overrideSchema.safeParse(value)
  if (result.success) return result.data
  throw fail('KX_CATALOGUE', { file, why: issues(result.error.issues) })
}

/** Lays additions over a catalogue: rows of the same name are merged field by field, image rows of the same version replaced. */
export function mergeCatalogue(base: Catalogue, override: CatalogueOverride, file: string): Catalogue {
  const images = new Map([...base.kubernetes.images, ...(override.kubernetes?.images ?? [])].map((row) => [row.since, row]))
  const merged = {
    files: mergeRows(base.files, override.files),
    kubernetes: { minors: mergeRows(base.kubernetes.minors, override.kubernetes?.minors), images: [...images.values()] },
    components: mergeRows(base.components, override.components),
    packages: mergeRows(base.packages, override.packages),
    zones: mergeRows(base.zones, override.zones),
    checksums: { ...base.checksums, ...override.checksums },
  }
  // A row that is new must be whole: what may be left out when it changes one of ours may not be then.
  const result = catalogueSchema.safeParse(merged)
  if (!result.success) throw fail('KX_CATALOGUE', { file, why: issues(result.error.issues) })
  return result.data
}

type Rows = Readonly<Record<string, object>>

const mergeRows = (base: Rows, override: Rows | undefined): Rows =>
  Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(override ?? {})])].map((name) => [name, { ...base[name], ...override?.[name] }]),
  )

const issues = (found: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[]): string =>
  found.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`).join('; ')
