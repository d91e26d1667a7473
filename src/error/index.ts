export { codes } from './codes/index.ts'
export type { CodeEntry } from './define.ts'
export { asKubexmError, type Code, fail, KubexmError, type Language, type Parameters, textOf } from './error.ts'
