import { stringify } from 'yaml'
import type { Json } from './json.ts'

/** Values as YAML, one document each: keys in the order given, long texts never folded, nothing repeated by reference. */
export const toYaml = (...documents: readonly Json[]): string =>
  documents.map((document) => stringify(document, { aliasDuplicateObjects: false, lineWidth: 0 })).join('---\n')
