import { randomBytes } from 'node:crypto'
import type { Connection, ExecIo } from '../connector/index.ts'
import { fail } from '../error/index.ts'
import type { Secret } from '../util/secret.ts'
import type { HostName } from '../util/where.ts'
import { quote } from './command.ts'

/** How the login user becomes root; `none`: not at all, what is done is done with the rights of the login. */
export type Sudo = { readonly password?: Secret } | 'none'

/** A way to run scripts as root. */
export interface Elevation {
  wrap(script: string, stdin?: ExecIo['stdin']): { readonly command: string; readonly stdin?: ExecIo['stdin'] }
  /** The same for input that is known as a whole. */
  wrapText(script: string): { readonly command: string; readonly stdin?: string }
  /** Printed on stderr when root was reached; what comes before it is sudo talking. Null: no sudo in between. */
  readonly marker: Buffer | null
}

// Predictable messages, ordinary permissions and the directories where kubexm and distributions put tools.
const settings =
  'LC_ALL=C; export LC_ALL; umask 022; PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"; export PATH\n'
/** `kx_own` gives a file its owner where none was named: root. Who is not root cannot, and owns it anyhow. */
const prelude = `${settings}kx_own() { chown -h -- root:root "$1"; }\n`
const preludeOfUser = `${settings}kx_own() { :; }\n`

/** Scripts run with the rights of the login. */
const asIs = (lead: string): Elevation => ({
  marker: null,
  wrap: (script, stdin) => ({ command: lead + script, ...(stdin === undefined ? {} : { stdin }) }),
  wrapText: (script) => ({ command: lead + script }),
})

const marker = Buffer.from('\x1ekx-root\x1e')
const sayRoot = `printf '\\036kx-root\\036' >&2`

interface Way {
  readonly password: Secret | null
  /** Whether sudo must see a terminal (`Defaults requiretty`). */
  readonly terminal: boolean
}

/** Finds out how to become root on a host: once for a connection. */
export async function findElevation(host: HostName, connection: Connection, sudo: Sudo, signal: AbortSignal): Promise<Elevation> {
  if (connection.root) return asIs(prelude)
  if (sudo === 'none') return asIs(preludeOfUser)
  const user = connection.user ?? 'the login user'
  const refuse = (why: string, seen = ''): Error => fail('KX_SUDO', { user, why }, { where: { host }, ...(seen === '' ? {} : { seen }) })
  const password = sudo.password ?? null
  let way: Way = { password: null, terminal: false }
  for (;;) {
    const said = await attempt(connection, way, signal)
    if (said === null) return bySudo(way)
    if (/not found|no such file/i.test(said)) throw refuse('sudo is not installed', said)
    if (/must have a tty|terminal is required to (?!read)/i.test(said) && !way.terminal) way = { ...way, terminal: true }
    else if (/password is required|terminal is required to read/i.test(said) && way.password === null) {
      if (password === null) throw refuse('sudo wants a password and none is given', said)
      way = { ...way, password }
    } else if (/incorrect password|try again|no password was provided/i.test(said)) throw refuse('sudo does not take the password', said)
    else throw refuse(reasonIn(said) ?? 'sudo failed', said)
  }
}

/** The line in which sudo says why; that it cannot resolve the host's own name is none. */
export const reasonIn = (said: string): string | undefined =>
  said
    .split('\n')
    .map((line) => line.trim())
    .findLast((line) => line !== '' && !/unable to resolve host/.test(line))

/** Tries one way; gives what sudo said where it does not work. The password is given once: three wrong ones may lock the account. */
async function attempt(connection: Connection, way: Way, signal: AbortSignal): Promise<string | null> {
  const chunks: Uint8Array[] = []
  const collect = (chunk: Uint8Array): void => {
    chunks.push(chunk)
  }
  const command = sudoLine(way, `/bin/sh -c ${quote(sayRoot)}`)
  const stdin = way.password === null ? '' : `${way.password.reveal()}\n`
  await connection.exec(`LC_ALL=C; export LC_ALL\n${command}`, { signal, stdin, onStdout: collect, onStderr: collect })
  const said = Buffer.concat(chunks)
  return said.includes(marker) ? null : said.toString()
}

/**
 * `-k` makes sudo ask for the password each time it needs one, so that what follows on stdin is never taken for it, nor it for what follows.
 * With `requiretty` sudo wants to see a controlling terminal, not to talk through it: `script` gives it one, the streams go around it.
 */
function sudoLine(way: Way, command: string): string {
  const line = way.password === null ? `sudo -n -- ${command}` : `sudo -k -S -p '' -- ${command}`
  if (!way.terminal) return line
  return `SHELL=/bin/sh script -qec ${quote(`${line} <&3 >&4 2>&5`)} /dev/null 3<&0 4>&1 5>&2 </dev/null >/dev/null 2>&1`
}

/**
 * The script travels over stdin, not as an argument: sudo writes arguments to the system log. A line known only to us marks the end of what
 * was meant for sudo, so that a password sudo did not want (a rule changed to NOPASSWD meanwhile) is never read as data.
 */
function bySudo(way: Way): Elevation {
  const head = (script: string): { readonly command: string; readonly lead: string } => {
    const end = `kx-${randomBytes(12).toString('hex')}`
    const reader = `${sayRoot}; IFS= read -r kx_l; [ "$kx_l" = ${end} ] || IFS= read -r kx_l; IFS= read -r kx_c; eval "$(printf %b "$kx_c")"`
    const password = way.password === null ? '' : `${way.password.reveal()}\n`
    const text = (prelude + script).replaceAll('\\', '\\\\').replaceAll('\n', '\\n')
    return {
      command: sudoLine(way, `/bin/sh -c ${quote(reader)}`),
      lead: `${password}${end}\n${text}\n`,
    }
  }
  return {
    marker,
    wrap: (script, stdin) => {
      const { command, lead } = head(script)
      return { command, stdin: stdin === undefined ? lead : chain(lead, stdin) }
    },
    wrapText: (script) => {
      const { command, lead } = head(script)
      return { command, stdin: lead }
    },
  }
}

async function* chain(lead: string, rest: NonNullable<ExecIo['stdin']>): AsyncIterable<Uint8Array> {
  yield Buffer.from(lead)
  if (typeof rest === 'string') yield Buffer.from(rest)
  else if (rest instanceof Uint8Array) yield rest
  else yield* rest
}
