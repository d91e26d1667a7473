export { codes } from './codes/index.ts'
export { type CodeEntry, exitCodes } from './define.ts'
export { asKubexmError, type Code, fail, KubexmError, type Language, type Parameters, textOf } from './error.ts'
