import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { AnyAuthMethod, AuthHandlerMiddleware, NextAuthHandler, ParsedKey } from 'ssh2'
import ssh2 from 'ssh2'
import { fail } from '../error/index.ts'
import { type CertifiedKey, certify } from './ssh-certificate.ts'
import { expandHome, type ResolvedLogin } from './ssh-config-file.ts'

/** One way to log in. */
interface Method {
  /** For people: `password`, `key /root/.ssh/id_ed25519`. */
  readonly label: string
  /** As the server calls it. */
  readonly type: 'publickey' | 'password' | 'keyboard-interactive'
  readonly offer: AnyAuthMethod
}

/** All the ways a login may be tried, and what became of them. */
export interface Credentials {
  readonly handler: AuthHandlerMiddleware
  readonly certified: CertifiedKey | null
  /** For the error: what was tried and what the server would take. */
  report(): { readonly tried: string; readonly accepted: string }
}

/** Gathers the credentials of a login. What the login names comes first, so that an agent full of keys cannot use up the server's patience. */
export async function credentialsFor(login: ResolvedLogin): Promise<Credentials> {
  const notes: string[] = []
  const keys = await ownKeys(login, notes)
  const first = keys[0]?.key
  const certified = first === undefined ? null : await certificateFor(login, first, keys[0]?.path ?? null)
  const username = login.user
  const methods: Method[] = []
  if (certified !== null)
    methods.push({
      label: `certificate of ${keys[0]?.label}`,
      type: 'publickey',
      offer: { type: 'publickey', username, key: certified.key as never },
    })
  for (const { key, label } of keys) methods.push({ label, type: 'publickey', offer: { type: 'publickey', username, key: key as never } })
  const password = login.password
  if (password !== undefined) {
    methods.push({ label: 'password', type: 'password', offer: { type: 'password', username, password: password.reveal() } })
    methods.push({
      label: 'keyboard-interactive',
      type: 'keyboard-interactive',
      offer: {
        type: 'keyboard-interactive',
        username,
        prompt: (_name, _instructions, _language, prompts, answer) => answer(prompts.map(() => password.reveal())),
      },
    })
  }
  const socket = process.env.SSH_AUTH_SOCK
  if (login.agent !== false && socket !== undefined && socket !== '') {
    methods.push({ label: 'agent', type: 'publickey', offer: { type: 'agent', username, agent: socket } })
  }
  return { certified, ...inTurn(methods, notes, username) }
}

/** Offers one method after the other; after a partial success (several factors) those still wanted are offered again. */
function inTurn(methods: readonly Method[], notes: readonly string[], username: string): Pick<Credentials, 'handler' | 'report'> {
  let queue = [...methods]
  let current: Method | null = null
  const passed = new Set<Method>()
  const tried = new Set<string>()
  let accepted: readonly string[] | null = null
  const handler = (left: readonly string[] | null, partial: boolean | null, next: NextAuthHandler): void => {
    if (left === null) {
      // The answer tells which methods the server takes, and does not count as a failed attempt.
      next({ type: 'none', username })
      return
    }
    accepted = left
    if (partial === true && current !== null && !passed.has(current)) {
      passed.add(current)
      queue = methods.filter((method) => !passed.has(method))
    }
    // A password that was refused is not sent again by other means: wrong ones are counted, and accounts locked.
    const spent = tried.has('password') && passed.size === 0
    current = queue.find((method) => left.includes(method.type) && !(spent && method.type === 'keyboard-interactive')) ?? null
    if (current === null) {
      next(false as never)
      return
    }
    queue = queue.filter((method) => method !== current)
    tried.add(current.label)
    next(current.offer)
  }
  return {
    handler: handler as unknown as AuthHandlerMiddleware,
    report: () => ({
      tried: [...tried, ...notes].join(', ') || 'nothing: no password, key or agent is given',
      accepted: accepted?.join(', ') || 'unknown',
    }),
  }
}

interface OwnKey {
  readonly key: ParsedKey
  readonly label: string
  readonly path: string | null
}

async function ownKeys(login: ResolvedLogin, notes: string[]): Promise<readonly OwnKey[]> {
  if (login.privateKey !== undefined)
    return [{ key: parsed('(inline)', login.privateKey.reveal(), login), label: 'key (inline)', path: null }]
  if (login.privateKeyPath !== undefined) {
    const path = expandHome(login.privateKeyPath)
    const text = await readFile(path, 'utf8').catch((thrown: Error) => {
      throw fail('KX_SSH_KEY', { key: path, why: thrown.message }, { cause: thrown })
    })
    return [{ key: parsed(path, text, login), label: `key ${path}`, path }]
  }
  // Nobody asked for these keys: one that is missing or locked is passed over, and named when the login fails.
  const candidates = login.identityFiles.length > 0 ? login.identityFiles : login.password === undefined ? defaultKeys() : []
  const found = await Promise.all(candidates.map((path) => optionalKey(path, login, notes)))
  return found.filter((key) => key !== null)
}

const defaultKeys = (): readonly string[] => ['id_ed25519', 'id_ecdsa', 'id_rsa'].map((name) => join(homedir(), '.ssh', name))

async function optionalKey(path: string, login: ResolvedLogin, notes: string[]): Promise<OwnKey | null> {
  const text = await readFile(path, 'utf8').catch(() => null)
  if (text === null) return null
  try {
    return { key: parsed(path, text, login), label: `key ${path}`, path }
  } catch (thrown) {
    notes.push(`not key ${path} (${(thrown as { params?: { why?: string } }).params?.why ?? 'unreadable'})`)
    return null
  }
}

function parsed(name: string, text: string, login: ResolvedLogin): ParsedKey {
  const result = ssh2.utils.parseKey(text, login.passphrase?.reveal())
  const key = Array.isArray(result) ? result[0] : result
  if (key === undefined || key instanceof Error) {
    const why =
      key === undefined ? 'it is empty' : /no passphrase/i.test(key.message) ? 'it is encrypted and no passphrase is given' : key.message
    throw fail('KX_SSH_KEY', { key: name, why })
  }
  if (!key.isPrivateKey()) throw fail('KX_SSH_KEY', { key: name, why: 'it is a public key' })
  return key
}

async function certificateFor(login: ResolvedLogin, key: ParsedKey, keyPath: string | null): Promise<CertifiedKey | null> {
  const path = login.certificatePath === undefined ? keyPath && `${keyPath}-cert.pub` : expandHome(login.certificatePath)
  if (path === null) return null
  const text = await readFile(path, 'utf8').catch((thrown: Error) => {
    if (login.certificatePath === undefined) return null
    throw fail('KX_SSH_KEY', { key: path, why: thrown.message }, { cause: thrown })
  })
  if (text === null) return null
  const certified = certify(key, text)
  if (certified === null && login.certificatePath !== undefined)
    throw fail('KX_SSH_KEY', { key: path, why: 'it is not an OpenSSH certificate' })
  return certified
}
