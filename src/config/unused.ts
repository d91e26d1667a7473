import { isListed } from './field-use.ts'
import { unusedFields } from './unused-fields.ts'

let split: readonly string[] | null = null

/** The fields that are accepted though no code reads them yet. The list is made, and kept true, by `npm run docs`. */
export function unusedPaths(): readonly string[] {
  split ??= unusedFields.split('\n').filter((line) => line !== '')
  return split
}

/** Whether a field is accepted though no code reads it yet. */
export const isUnused = (path: string): boolean => isListed(path, unusedPaths())
