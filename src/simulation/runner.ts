import { fail } from '../error/index.ts'
import type {
  Command,
  Facts,
  Files,
  Kernel,
  Output,
  Packages,
  Probe,
  Runner,
  RunOptions,
  Scope,
  Services,
  StatesOf,
  System,
  Users,
} from '../runner/index.ts'
import { Secret } from '../util/secret.ts'
import type { HostName } from '../util/where.ts'
import type { Binding, HostAccess } from './host-access.ts'
import { factsOf } from './host-facts.ts'
import { answer } from './inspect.ts'
import { SimulatedFiles } from './runner-files.ts'
import { kernelOf, packagesOf, servicesOf, systemOf, usersOf } from './runner-nouns.ts'

const tailLines = 20

/** The runner of a simulated host. Its parts are made when they are first asked for: a run binds one runner per node. */
export class SimulatedRunner implements Runner {
  readonly host: HostName
  readonly #host: HostAccess
  readonly #binding: Binding
  #files: Files | null = null
  #services: Services | null = null
  #packages: Packages | null = null
  #users: Users | null = null
  #kernel: Kernel | null = null
  #system: System | null = null

  constructor(host: HostAccess, binding: Binding) {
    this.host = host.name
    this.#host = host
    this.#binding = binding
  }

  bind(scope: Scope): Runner {
    return new SimulatedRunner(this.#host, { scope, noted: false })
  }

  async run(command: Command, options: RunOptions = {}): Promise<Output> {
    const stdin = options.stdin instanceof Secret ? options.stdin.reveal() : (options.stdin ?? '')
    const output = await this.#host.command(command, this.#binding, stdin)
    const { onLine } = this.#binding.scope
    for (const stream of ['stdout', 'stderr'] as const) for (const line of linesIn(output[stream])) onLine?.(stream, line)
    const { ok = [0] } = options
    if (ok === 'any' || ok.includes(output.code)) return output
    const seen = linesIn(output.stderr === '' ? output.stdout : output.stderr)
      .slice(-tailLines)
      .join('\n')
    throw fail('KX_COMMAND', { command, code: output.code }, { where: { host: this.host }, seen })
  }

  async inspect<const P extends readonly Probe[]>(probes: P): Promise<StatesOf<P>> {
    if (probes.length === 0) return [] as unknown as StatesOf<P>
    const call = { what: 'inspect', target: probes.map(({ kind }) => kind).join(' '), bytes: 0 }
    const states = await this.#host.look(call, this.#binding, (state) =>
      probes.map((probe) => {
        if (probe.kind !== 'command') return answer(state, probe)
        const { code, stdout } = this.#host.peek(probe.command).output
        return { code, stdout }
      }),
    )
    // One answer per probe, in its order: more than the compiler can see in a map.
    return states as unknown as StatesOf<P>
  }

  facts(): Promise<Facts> {
    return this.#host.look({ what: 'facts', target: this.host, bytes: 0 }, this.#binding, (state) =>
      factsOf(state, this.#host.uptimeSeconds),
    )
  }

  get files(): Files {
    this.#files ??= new SimulatedFiles(this.#host, this.#binding)
    return this.#files
  }

  get services(): Services {
    this.#services ??= servicesOf(this.#host, this.#binding)
    return this.#services
  }

  get packages(): Packages {
    this.#packages ??= packagesOf(this.#host, this.#binding)
    return this.#packages
  }

  get users(): Users {
    this.#users ??= usersOf(this.#host, this.#binding)
    return this.#users
  }

  get kernel(): Kernel {
    this.#kernel ??= kernelOf(this.#host, this.#binding)
    return this.#kernel
  }

  get system(): System {
    this.#system ??= systemOf(this.#host, this.#binding)
    return this.#system
  }
}

const linesIn = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
