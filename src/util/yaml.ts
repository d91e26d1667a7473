import { stringify } from 'yaml'
import type { Json } from './json.ts'
import { remembering } from './remember.ts'

/** Values as YAML, one document each: keys in the order given, long texts never folded, nothing repeated by reference. */
export const toYaml = (...documents: readonly Json[]): string =>
  documents.map((document) => documentYaml(JSON.stringify(document))).join('---\n')

/** The same files are wanted whenever a host is looked at, and most of them are alike on many hosts. */
const documentYaml = remembering((json) => stringify(JSON.parse(json), { aliasDuplicateObjects: false, lineWidth: 0 }), 1000)
