import type { Client } from 'ssh2'
import { fail, type KubexmError } from '../error/index.ts'
import { type Millis, seconds, systemClock } from '../util/time.ts'
import { ChannelQueue } from './channel-queue.ts'
import type { Connection, ExecIo, ExecResult } from './connection.ts'
import { afterMarker, type Launch, launch } from './launch.ts'
import { pump } from './pump.ts'
import type { ResolvedLogin } from './ssh-config-file.ts'
import { openSession, type Session } from './ssh-session.ts'

// More than any server allows by default (10); what this one allows is learned from its first refusal.
const sessionsAtFirst = 64
const attemptsToOpen = 40
/** How long the streams of an ended command are waited for: a child it left behind may hold them open for ever. */
const graceForStreams: Millis = seconds(2)
const graceForKill: Millis = seconds(10)

/** One warm SSH connection: many commands at a time, each on a session of its own. */
export class SshConnection implements Connection {
  readonly user: string
  readonly #clients: readonly Client[]
  readonly #client: Client
  readonly #login: ResolvedLogin
  readonly #another: (signal: AbortSignal) => Promise<SshConnection>
  readonly #queue = new ChannelQueue(sessionsAtFirst)
  readonly #closed = Promise.withResolvers<void>()
  #alive = true
  #disposed = false
  #why = 'the server closed it'
  #root = false

  constructor(clients: readonly [...Client[], Client], login: ResolvedLogin, another: (signal: AbortSignal) => Promise<SshConnection>) {
    this.#clients = clients
    this.#client = clients.at(-1) as Client
    this.#login = login
    this.#another = another
    this.user = login.user
    this.#client.on('error', (thrown) => {
      this.#why = thrown.message
    })
    const ended = (): void => {
      this.#alive = false
      this.#closed.resolve()
    }
    // A server that ends its half is gone: nothing is sent to it any more.
    this.#client.once('end', ended).once('close', ended)
  }

  get root(): boolean {
    return this.#root
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Whether we are root there: by the name, else by asking, which on many hosts at once is worth sparing. */
  async learnUser(signal: AbortSignal): Promise<void> {
    if (this.#login.user === 'root') {
      this.#root = true
      return
    }
    const chunks: Uint8Array[] = []
    await this.exec('id -u', { signal, onStdout: (chunk) => chunks.push(chunk), onStderr: () => undefined })
    this.#root = Buffer.concat(chunks).toString().trim() === '0'
  }

  async exec(command: string, io: ExecIo): Promise<ExecResult> {
    const start = launch(command)
    const session = await this.#open(start, io.signal)
    try {
      return await this.#attend(session, start, io)
    } finally {
      this.#queue.closed()
      this.#queue.give()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#disposed = true
    this.#alive = false
    for (const client of [...this.#clients].reverse()) client.end()
    const late = systemClock.after(seconds(1), () => this.#closed.resolve())
    await this.#closed.promise
    late.cancel()
    for (const client of this.#clients) client.destroy()
  }

  /** Opens a session, waiting in line when the server has no more to give. */
  async #open(start: Launch, signal: AbortSignal): Promise<Session> {
    for (let attempt = 1; ; attempt++) {
      await this.#queue.take(signal)
      const opened = await this.#tryOpen(start)
      if (!(opened instanceof Error)) {
        this.#queue.opened()
        return opened
      }
      const others = this.#queue.refused()
      this.#queue.give()
      if (!this.#alive) throw this.#lost(opened)
      if (attempt >= (others ? attemptsToOpen : 3))
        throw fail('KX_CHANNEL_LIMIT', { address: this.#login.address, why: opened.message }, { cause: opened })
      // The server counts a session until it has buried its process, a moment longer than we do.
      await systemClock.sleep(Math.min(250, 10 * attempt), signal)
    }
  }

  async #tryOpen(start: Launch): Promise<Session | Error> {
    return this.#alive ? await openSession(this.#client, start.line, this.#closed.promise) : new Error('not connected')
  }

  /** Carries the bytes of one command until it has ended. */
  async #attend(session: Session, start: Launch, io: ExecIo): Promise<ExecResult> {
    const { channel } = session
    const over = Promise.withResolvers<void>()
    let lastByte = systemClock.steady()
    const filter = (pass: (chunk: Uint8Array) => void): ReturnType<typeof afterMarker> => afterMarker(start.marker, pass)
    const stdout = filter((chunk) => io.onStdout(chunk))
    const stderr = filter((chunk) => io.onStderr(chunk))
    const into = (stream: typeof stdout) => (chunk: Buffer) => {
      lastByte = systemClock.steady()
      try {
        stream.push(chunk)
      } catch (thrown) {
        over.reject(thrown)
      }
    }
    channel.on('data', into(stdout))
    channel.stderr.on('data', into(stderr))
    const whenQuiet = (): void => {
      const quiet = systemClock.steady() - lastByte
      if (quiet >= graceForStreams) over.resolve()
      else systemClock.after(graceForStreams - quiet, whenQuiet)
    }
    session.exited.then(() => systemClock.after(graceForStreams, whenQuiet), over.reject)
    Promise.race([session.closed, this.#closed.promise]).then(over.resolve, over.reject)
    let killing: Promise<void> | null = null
    const kill = (): Promise<void> => {
      killing ??= this.#kill(start, io)
      return killing
    }
    const onAbort = (): void => {
      const refuse = (): void => over.reject(io.signal.reason)
      kill().then(refuse, refuse)
    }
    if (io.signal.aborted) onAbort()
    else io.signal.addEventListener('abort', onAbort, { once: true })
    pump(channel, start.stdinPrefix, io.stdin, over.promise).catch(over.reject)
    try {
      await over.promise
    } catch (thrown) {
      // Our own source failed, or a reader of the output did: the command must not run on without us.
      if (session.result() === null) await kill()
      throw thrown
    } finally {
      io.signal.removeEventListener('abort', onAbort)
      channel.close()
    }
    io.signal.throwIfAborted()
    const result = session.result()
    if (result === null) throw this.#lost()
    const silent = stdout.before()
    if (silent !== null) {
      const why = (silent + (stderr.before() ?? '')).trim() || 'it ended at once'
      throw fail('KX_LOGIN_SHELL', { user: this.user, address: this.#login.address, why })
    }
    return result
  }

  /** Ends the processes of a command, over a second session or, where there is none to be had, a second connection. */
  async #kill(start: Launch, io: ExecIo): Promise<void> {
    if (!this.#alive) return
    const signal = AbortSignal.timeout(graceForKill)
    const { command, stdin } = io.elevate?.(start.killScript) ?? { command: start.killScript }
    const killer = launch(command)
    const quiet = { signal, onStdout: () => undefined, onStderr: () => undefined, ...(stdin === undefined ? {} : { stdin }) }
    try {
      const session = await this.#tryOpen(killer)
      if (!(session instanceof Error)) {
        await this.#attend(session, killer, quiet)
        return
      }
      await using other = await this.#another(signal)
      await other.exec(command, quiet)
    } catch {
      // The caller hears of the abort itself; a machine that cannot be reached for this is told by the next command.
    }
  }

  #lost(cause?: unknown): KubexmError {
    return fail('KX_CONNECTION_LOST', { address: this.#login.address, why: this.#disposed ? 'it was closed by us' : this.#why }, { cause })
  }
}
