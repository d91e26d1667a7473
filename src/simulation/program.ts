import type { Output } from '../runner/index.ts'
import type { ClusterAccess, HostState } from './state.ts'

/** What a program sees of the host it runs on. Assigning `state` is how it changes the host. */
export interface ProgramContext {
  state: HostState
  readonly stdin: string
  readonly environment: Readonly<Record<string, string>>
  /** The API server and etcd of the fleet; null on a host that is alone. */
  readonly cluster: ClusterAccess | null
  /** Runs another program, as `env` and `timeout` do. */
  call(argv: readonly string[]): Output
}

/** How one program answers. Deterministic: the same state gives the same answer. */
export type ProgramModel = (argv: readonly string[], ctx: ProgramContext) => Output

/** Success, with what was printed. */
export const says = (stdout = ''): Output => ({ code: 0, stdout, stderr: '' })

/** Failure, with what was printed as an error. */
export const complains = (stderr: string, code = 1): Output => ({ code, stdout: '', stderr: `${stderr}\n` })

interface Registered {
  readonly model: ProgramModel
  /** Whether the program's file must be on the host. */
  readonly needsFile: boolean
}

/** The programs a simulated shell can run, by the name of their file. */
export class ProgramTable {
  readonly #own = new Map<string, Registered>()
  readonly #inherited: ProgramTable | null

  constructor(inherited: ProgramTable | null = null) {
    this.#inherited = inherited
  }

  /** Adds or replaces a program. It is there at once, like a shell function, unless `needsFile` ties it to a file on the host. */
  register(name: string, model: ProgramModel, options: { readonly needsFile?: boolean } = {}): this {
    this.#own.set(name, { model, needsFile: options.needsFile ?? false })
    return this
  }

  find(name: string): Registered | null {
    return this.#own.get(name) ?? this.#inherited?.find(name) ?? null
  }
}
