import type { Connection, ExecIo } from '../connector/index.ts'
import { fail } from '../error/index.ts'
import type { HostName } from '../util/where.ts'
import { type Elevation, findElevation, reasonIn, type Sudo } from './elevation.ts'
import { Tail } from './output.ts'

/** How one script's bytes come and go. */
export interface ScriptIo {
  readonly signal: AbortSignal
  readonly stdin?: ExecIo['stdin']
  /** How much of each stream is kept, from its end. */
  readonly keep: number
  onStdout?(chunk: Uint8Array): void
  onStderr?(chunk: Uint8Array): void
}

/** What a script left behind. */
export interface ScriptResult {
  readonly code: number
  readonly signal?: string
  readonly stdout: Buffer
  readonly stderr: Buffer
  /** Whether the beginning of stdout was dropped. */
  readonly truncated: boolean
}

/** Runs shell scripts as root on one host. */
export interface HostShell {
  readonly host: HostName
  run(script: string, io: ScriptIo): Promise<ScriptResult>
}

/** Makes the root shell of a host; how root is reached is found out at first use. */
export function hostShell(host: HostName, connection: Connection, sudo: Sudo): HostShell {
  let found: Promise<Elevation> | null = null
  const elevation = async (signal: AbortSignal): Promise<Elevation> => {
    found ??= findElevation(host, connection, sudo, signal)
    try {
      return await found
    } catch (thrown) {
      // A lost connection must not be remembered as the answer.
      found = null
      throw thrown
    }
  }
  return { host, run: async (script, io) => await runAsRoot(host, connection, await elevation(io.signal), script, io) }
}

async function runAsRoot(host: HostName, connection: Connection, root: Elevation, script: string, io: ScriptIo): Promise<ScriptResult> {
  const stdout = new Tail(io.keep)
  const stderr = new Tail(io.keep)
  let sudoSaid = root.marker === null ? null : Buffer.alloc(0)
  const takeStderr = (chunk: Uint8Array): void => {
    stderr.push(chunk)
    io.onStderr?.(chunk)
  }
  const { command, stdin } = root.wrap(script, io.stdin)
  const result = await connection.exec(command, {
    signal: io.signal,
    ...(stdin === undefined ? {} : { stdin }),
    onStdout: (chunk) => {
      stdout.push(chunk)
      io.onStdout?.(chunk)
    },
    onStderr: (chunk) => {
      if (sudoSaid === null || root.marker === null) return takeStderr(chunk)
      sudoSaid = Buffer.concat([sudoSaid, chunk])
      const at = sudoSaid.indexOf(root.marker)
      if (at < 0) return
      const rest = sudoSaid.subarray(at + root.marker.length)
      sudoSaid = null
      if (rest.length > 0) takeStderr(rest)
    },
    ...(root.marker === null ? {} : { elevate: (text: string) => root.wrapText(text) }),
  })
  if (sudoSaid !== null) {
    const why = reasonIn(sudoSaid.toString())
    throw fail('KX_SUDO', { user: connection.user ?? 'the login user', why: why ?? `sudo ended with ${result.code}` }, { where: { host } })
  }
  return { ...result, stdout: stdout.bytes(), stderr: stderr.bytes(), truncated: stdout.truncated }
}
