import { globSync, readFileSync } from 'node:fs'
import { homedir, userInfo } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { parse, type SSHConfig } from 'ssh-config'
import { fail } from '../error/index.ts'
import { isErrno } from '../util/local-file.ts'
import type { SshLogin } from './connection.ts'

/** A login whose address, port and user are settled, with the keys the SSH client configuration names for it. */
export interface ResolvedLogin extends SshLogin {
  /** Keys to try when the login itself names none; one that is not there is passed over. */
  readonly identityFiles: readonly string[]
}

/** The way to a machine: the jump hosts in order, then the machine itself. */
export interface Route {
  readonly jumps: readonly ResolvedLogin[]
  readonly target: ResolvedLogin
}

const mostJumps = 8

/** Settles a route by the SSH client configuration: what the login says wins, as the command line does for `ssh`. */
export function resolveRoute(target: SshLogin, jumps: readonly SshLogin[], configFile: string | null): Route {
  const config = configFile === null ? null : readConfig(configFile)
  const chain = jumps.length > 0 ? jumps : proxyJumps(config, target, 0)
  return { jumps: chain.map((jump) => settle(config, jump)), target: settle(config, target) }
}

function settle(config: SSHConfig | null, login: SshLogin): ResolvedLogin {
  const found = settingsOf(config, login)
  const port = login.port || Number(found.one('port') ?? 22)
  const user = login.user || found.one('user') || userInfo().username
  return {
    ...login,
    address: (found.one('hostname') ?? login.address).replaceAll('%h', login.address),
    port,
    user,
    identityFiles: found.many('identityfile').map((file) => expand(file, { ...login, port, user })),
    ...(login.certificatePath === undefined && found.one('certificatefile') !== undefined
      ? { certificatePath: expand(found.one('certificatefile') ?? '', { ...login, port, user }) }
      : {}),
  }
}

function proxyJumps(config: SSHConfig | null, login: SshLogin, depth: number): readonly SshLogin[] {
  const value = settingsOf(config, login).one('proxyjump')
  if (value === undefined || value.toLowerCase() === 'none') return []
  if (depth > mostJumps) throw fail('KX_SSH_CONFIG', { file: 'ssh_config', why: `ProxyJump of ${login.address} leads in a circle` })
  const hops = value.split(',').map(parseJump)
  const [first] = hops
  // As in OpenSSH only the first hop may have jump hosts of its own.
  return first === undefined ? [] : [...proxyJumps(config, first, depth + 1), ...hops]
}

/** `[ssh://][user@]host[:port]`, the host in brackets when it is an IPv6 address with a port. */
export function parseJump(text: string): SshLogin {
  const parts = /^(?:ssh:\/\/)?(?:(.*)@)?(?:\[([^\]]+)\]|([^:]+|[^@]*:[^@]*:[^@]*?))(?::(\d+))?$/.exec(text.trim())
  return { user: parts?.[1] ?? '', address: parts?.[2] ?? parts?.[3] ?? text.trim(), port: Number(parts?.[4] ?? 0) }
}

interface Settings {
  one(name: string): string | undefined
  many(name: string): readonly string[]
}

function settingsOf(config: SSHConfig | null, login: SshLogin): Settings {
  const found = config?.compute({ Host: login.address, ...(login.user === '' ? {} : { User: login.user }) }, { ignoreCase: true }) ?? {}
  const many = (name: string): readonly string[] => [found[name] ?? []].flat()
  return { one: (name) => many(name)[0], many }
}

/** `~`, `%d`, `%h`, `%r`, `%p` and `%%`, as in IdentityFile. */
function expand(path: string, login: { readonly address: string; readonly port: number; readonly user: string }): string {
  const tokens: Readonly<Record<string, string>> = { d: homedir(), h: login.address, r: login.user, p: String(login.port), '%': '%' }
  return expandHome(path.replace(/%(.)/g, (whole, token: string) => tokens[token] ?? whole))
}

/** A path with `~` replaced by the home directory. */
export const expandHome = (path: string): string => (path === '~' || path.startsWith('~/') ? join(homedir(), path.slice(1)) : path)

function readConfig(file: string): SSHConfig {
  try {
    return parse(withIncludes(file, 0))
  } catch (thrown) {
    throw fail('KX_SSH_CONFIG', { file, why: (thrown as Error).message }, { cause: thrown })
  }
}

/** The text of a configuration, `Include` lines replaced by the files they name; a file that is not there is empty. */
function withIncludes(file: string, depth: number): string {
  if (depth > 16) throw new Error(`too many nested Include lines (${file})`)
  const text = textOf(file)
  return text.replace(/^[ \t]*include[ \t]+(.+)$/gim, (_, list: string) =>
    list
      .trim()
      .split(/\s+/)
      .map((pattern) => expandHome(pattern.replace(/^"|"$/g, '')))
      .map((pattern) => (isAbsolute(pattern) ? pattern : join(dirname(file), pattern)))
      .flatMap((pattern) => globSync(pattern).sort())
      .map((included) => withIncludes(included, depth + 1))
      .join('\n'),
  )
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (thrown) {
    if (isErrno(thrown, 'ENOENT')) return ''
    throw thrown
  }
}
