import type { HostName } from '../util/where.ts'
import type { Connection, Connector, ExecIo, ExecResult } from './connection.ts'
import { Places } from './places.ts'

interface Member {
  readonly connector: Connector
  current: Promise<Connection> | null
}

/**
 * One warm connection per host. The connection it hands out stays valid when the line behind it breaks: the command that ran is lost
 * (it may or may not have had its effect, so the caller decides), the next one connects again.
 */
export class ConnectionPool implements AsyncDisposable {
  readonly #members = new Map<HostName, Member>()
  readonly #connecting: Places
  readonly #closing = new AbortController()

  constructor(options: { readonly connectsAtOnce?: number } = {}) {
    this.#connecting = new Places(options.connectsAtOnce ?? 32)
  }

  /** Says how a host is reached; nothing is connected yet. A later call for the same host wins once its connection is lost. */
  add(host: HostName, connector: Connector): void {
    this.#members.set(host, { connector, current: this.#members.get(host)?.current ?? null })
  }

  get hosts(): readonly HostName[] {
    return [...this.#members.keys()]
  }

  /** The connection of a host, made now if there is none. */
  async connect(host: HostName, signal: AbortSignal): Promise<Connection> {
    const first = await this.#line(host, signal)
    return {
      root: first.root,
      ...(first.user === undefined ? {} : { user: first.user }),
      exec: async (command: string, io: ExecIo): Promise<ExecResult> => (await this.#line(host, io.signal)).exec(command, io),
      [Symbol.asyncDispose]: () => this.#drop(host),
    }
  }

  /** Connects to all hosts at once, as far as the limit allows; gives every outcome, so that one dead host does not hide the others. */
  async connectAll(signal: AbortSignal): Promise<ReadonlyMap<HostName, PromiseSettledResult<Connection>>> {
    const outcomes = await Promise.allSettled(this.hosts.map((host) => this.connect(host, signal)))
    return new Map(this.hosts.map((host, i) => [host, outcomes[i] as PromiseSettledResult<Connection>]))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort(new Error('the connection pool is closed'))
    await Promise.all(this.hosts.map((host) => this.#drop(host)))
  }

  async #line(host: HostName, signal: AbortSignal): Promise<Connection> {
    const member = this.#members.get(host)
    if (member === undefined) throw new Error(`no connector was added for ${host}`)
    for (;;) {
      signal.throwIfAborted()
      this.#closing.signal.throwIfAborted()
      member.current ??= this.#dial(member)
      const dialled = member.current
      try {
        const connection = await abortable(dialled, signal)
        if (connection.alive !== false) return connection
      } catch (thrown) {
        if (member.current === dialled && !signal.aborted) member.current = null
        throw thrown
      }
      if (member.current === dialled) member.current = null
    }
  }

  /** The dial is shared by all who wait for this host, so only the end of the pool aborts it. */
  async #dial(member: Member): Promise<Connection> {
    return await this.#connecting.within(() => member.connector.connect(this.#closing.signal), this.#closing.signal)
  }

  async #drop(host: HostName): Promise<void> {
    const member = this.#members.get(host)
    const current = member?.current ?? null
    if (member === undefined || current === null) return
    member.current = null
    const connection = await current.catch(() => null)
    await connection?.[Symbol.asyncDispose]()
  }
}

/** Waits for a promise that others wait for too: the signal ends the waiting, not the work. */
async function abortable<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
