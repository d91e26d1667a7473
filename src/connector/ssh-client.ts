import type { Duplex } from 'node:stream'
import type { Client, ConnectConfig } from 'ssh2'
import ssh2 from 'ssh2'
import { fail, KubexmError } from '../error/index.ts'
import { type Millis, systemClock } from '../util/time.ts'
import { checkHostKey, type HostKeyFiles, knownKeyTypes } from './host-keys.ts'
import { reusePacketMemory } from './packet-memory.ts'
import { type Credentials, credentialsFor } from './ssh-auth.ts'
import { supportCertificate } from './ssh-certificate.ts'
import type { ResolvedLogin, Route } from './ssh-config-file.ts'
import { openSocket, socketError, timedOut } from './ssh-socket.ts'

/** What every login of a route shares. */
export interface ClientOptions {
  readonly hostKeys: HostKeyFiles
  readonly connectTimeout: Millis
  readonly keepalive: Millis
}

/** Logs in at the end of a route. The clients of the jump hosts come along: they carry the last one. */
export async function openRoute(route: Route, options: ClientOptions, signal: AbortSignal): Promise<readonly Client[]> {
  const clients: Client[] = []
  try {
    for (const login of [...route.jumps, route.target]) {
      const last = clients.at(-1)
      const jump = route.jumps[clients.length - 1]
      const attempt = await prepareLogin(login, options)
      const stream =
        last === undefined || jump === undefined
          ? await openSocket(login, options.connectTimeout, signal)
          : await forward(last, jump, login, options, signal)
      clients.push(await logIn(attempt, stream, options, signal))
    }
    return clients
  } catch (thrown) {
    for (const client of clients.reverse()) client.destroy()
    throw thrown
  }
}

async function forward(
  through: Client,
  jump: ResolvedLogin,
  login: ResolvedLogin,
  options: ClientOptions,
  signal: AbortSignal,
): Promise<Duplex> {
  const { address, port } = login
  return await new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason)
    const timer = systemClock.after(options.connectTimeout, () => reject(timedOut(login, options.connectTimeout)))
    signal.addEventListener('abort', onAbort, { once: true })
    through.forwardOut('127.0.0.1', 0, address, port, (thrown, stream) => {
      timer.cancel()
      signal.removeEventListener('abort', onAbort)
      if (thrown === undefined) resolve(stream)
      else reject(fail('KX_CONNECT_JUMP', { jump: jump.address, address, port }, { cause: thrown, seen: thrown.message }))
    })
  })
}

/** Everything a login needs to know. */
interface Attempt {
  readonly login: ResolvedLogin
  readonly credentials: Credentials
  readonly keyTypes: readonly string[]
}

/** Reads what a login needs. Before there is a connection: nobody would hear it fail meanwhile, and that would end the process. */
async function prepareLogin(login: ResolvedLogin, options: ClientOptions): Promise<Attempt> {
  return { login, credentials: await credentialsFor(login), keyTypes: await keyPreference(options.hostKeys, login) }
}

async function logIn(
  { login, credentials, keyTypes }: Attempt,
  stream: Duplex,
  options: ClientOptions,
  signal: AbortSignal,
): Promise<Client> {
  const client = new ssh2.Client()
  try {
    const refusal: { error: unknown } = { error: null }
    // A server takes its time to refuse a password: the limit is for each answer, not for all of them.
    const progress = { made: (): void => undefined }
    const config: ConnectConfig = {
      sock: stream,
      username: login.user,
      // Our own timer covers the whole login; ssh2's would not know about the abort signal.
      readyTimeout: 0,
      keepaliveInterval: options.keepalive,
      keepaliveCountMax: 3,
      algorithms: {
        cipher: { prepend: ['aes128-gcm@openssh.com'] } as never,
        serverHostKey: keyTypes as never,
      },
      authHandler: (left, partial, next) => {
        progress.made()
        credentials.handler(left, partial, next)
      },
      hostVerifier: hostVerifier(
        (key) => checkHostKey(options.hostKeys, login.address, login.port, key),
        (thrown) => {
          refusal.error = thrown
        },
      ),
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(signal.reason)
      const start = (): { cancel(): void } =>
        systemClock.after(options.connectTimeout, () => reject(timedOut(login, options.connectTimeout)))
      let timer = start()
      progress.made = () => {
        timer.cancel()
        timer = start()
      }
      signal.addEventListener('abort', onAbort, { once: true })
      const done = (outcome: () => void): void => {
        timer.cancel()
        signal.removeEventListener('abort', onAbort)
        outcome()
      }
      client.once('ready', () => done(resolve))
      client.on('error', (thrown) => {
        // An agent that cannot be asked is one failed method, not the end of the login.
        if (thrown.level === 'agent') return
        done(() => reject(refusal.error ?? loginError(login, options, thrown, credentials.report())))
      })
      client.once('close', () =>
        done(() =>
          reject(refusal.error ?? loginError(login, options, new Error('the server closed the connection'), credentials.report())),
        ),
      )
      signal.throwIfAborted()
      client.connect(config)
      reusePacketMemory(client, stream)
      if (credentials.certified !== null) supportCertificate(client, credentials.certified)
    })
    return client
  } catch (thrown) {
    client.on('error', () => undefined)
    client.destroy()
    stream.destroy()
    throw thrown
  }
}

/**
 * Looks at the key a server shows. When keys are changed later it must be the same one, and the answer must be there at once: while ssh2
 * waits for it, it takes the exchange for finished, and what is sent then breaks the connection.
 */
function hostVerifier(check: (key: Buffer) => Promise<unknown>, onRefusal: (thrown: unknown) => void) {
  let verified: Buffer | null = null
  return (key: Buffer, verify: (accepted: boolean) => void): boolean | undefined => {
    if (verified !== null) return verified.equals(key)
    check(key).then(
      () => {
        verified = Buffer.from(key)
        verify(true)
      },
      (thrown: unknown) => {
        onRefusal(thrown)
        verify(false)
      },
    )
    return undefined
  }
}

/** The key types filed for the server come first, so that it shows the key we can compare. */
async function keyPreference(files: HostKeyFiles, login: ResolvedLogin): Promise<readonly string[]> {
  const filed = (await knownKeyTypes(files, login.address, login.port)).flatMap((type) =>
    type === 'ssh-rsa' ? ['rsa-sha2-512', 'rsa-sha2-256'] : [type],
  )
  const all = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'ecdsa-sha2-nistp384', 'ecdsa-sha2-nistp521', 'rsa-sha2-512', 'rsa-sha2-256']
  return [...all.filter((type) => filed.includes(type)), ...all.filter((type) => !filed.includes(type))]
}

function loginError(
  login: ResolvedLogin,
  options: ClientOptions,
  thrown: Error & { readonly level?: string; readonly code?: unknown },
  report: { readonly tried: string; readonly accepted: string },
): KubexmError {
  if (thrown instanceof KubexmError) return thrown
  const { address, port, user } = login
  const refused = thrown.level === 'client-authentication' || /too many authentication failures/i.test(thrown.message)
  if (refused) return fail('KX_AUTH', { address, user, ...report }, { cause: thrown, seen: thrown.message })
  if (thrown.level === 'handshake' || thrown.level === 'protocol') {
    // A server at its limit of half-open logins (MaxStartups) hangs up before it greets.
    if (/lost before handshake/i.test(thrown.message))
      return fail('KX_CONNECTION_LOST', { address, why: 'it hung up before the handshake' }, { cause: thrown })
    return fail('KX_CONNECT_PROTOCOL', { address, port, why: thrown.message }, { cause: thrown })
  }
  if (thrown.level === 'client-socket') {
    const error = socketError(login, options.connectTimeout, thrown)
    return error.code === 'KX_CONNECT_UNREACHABLE' ? fail('KX_CONNECTION_LOST', { address, why: thrown.message }, { cause: thrown }) : error
  }
  return fail('KX_CONNECTION_LOST', { address, why: thrown.message }, { cause: thrown })
}
