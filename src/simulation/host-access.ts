import type { Output, Scope } from '../runner/index.ts'
import type { AsError } from './as-error.ts'
import type { Call } from './host-options.ts'
import type { LocalFiles } from './local-files.ts'
import type { HostState } from './state.ts'

/** The circumstances of one bound runner, and whether its ledger line is written yet. */
export interface Binding {
  readonly scope: Scope
  noted: boolean
}

/** What a runner needs of the host it works on. */
export interface HostAccess {
  readonly name: string
  readonly state: HostState
  readonly localFiles: LocalFiles
  readonly uptimeSeconds: number
  /** Asks without changing. */
  look<T>(call: Call, binding: Binding, answer: (state: HostState) => T): Promise<T>
  /** Makes a change, with all that goes with one: fence, ledger line, faults, the list of mutations. */
  change(call: Call, binding: Binding, asError: AsError, make: (state: HostState) => HostState): Promise<void>
  /** Runs a command line. It counts as a change when it changes something, or when it was called as a part of one. */
  command(line: string, binding: Binding, stdin: string): Promise<Output>
  /** What a command line would print and whether it would change anything; nothing is kept. */
  peek(line: string, stdin?: string): { readonly output: Output; readonly changes: boolean }
}
