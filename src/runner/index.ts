export { all, type Command, lines, nested, sh } from './command.ts'
export { createRunner } from './create.ts'
export type { Facts } from './facts.ts'
export { unknownFacts } from './facts-parse.ts'
export type * from './probe.ts'
export {
  type FileAttributes,
  type Files,
  hostPaths,
  type Kernel,
  type Output,
  type Packages,
  type Reader,
  type Runner,
  type RunOptions,
  type Scope,
  type Services,
  type System,
  type Users,
} from './runner.ts'
