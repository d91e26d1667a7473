import type { ExecIo } from '../connector/index.ts'
import { type Code, fail, KubexmError } from '../error/index.ts'
import { lastLines } from '../util/last-lines.ts'
import type { HostName } from '../util/where.ts'
import { changeNote } from './change-note.ts'
import type { HostShell } from './host-shell.ts'
import { lineSplitter, signalsIn, withoutSignals } from './output.ts'
import type { Scope } from './runner.ts'

/** What a script answered. */
export interface Answer {
  readonly code: number
  readonly stdout: Buffer
  /** Without the signals. */
  readonly stderr: string
  /** What the script told kubexm itself, by word. */
  readonly said: ReadonlyMap<string, string>
  readonly truncated: boolean
}

/** How a script is run. */
export interface ScriptOptions {
  readonly stdin?: ExecIo['stdin']
  /** How much output is kept (default 1 MiB). */
  readonly keep?: number
  onStdout?(chunk: Uint8Array): void
  /** Makes the error where the script fails; without it the caller looks at the code. */
  readonly orElse?: (answer: Answer) => KubexmError
}

/** What every noun of the runner works with: scripts that ask and scripts that change. */
export interface Hands {
  readonly host: HostName
  readonly scope: Scope
  /** Runs a script that changes nothing; its output is not shown. */
  ask(script: string, options?: ScriptOptions): Promise<Answer>
  /** Runs a script that changes the host: the fence is checked and the ledger written first, in the same round trip. */
  change(script: string, options?: ScriptOptions): Promise<Answer>
}

const keptByDefault = 1024 * 1024

/** Binds a root shell to the circumstances of one node. */
export function hands(shell: HostShell, scope: Scope): Hands {
  const note = changeNote(scope.note)
  const run = async (script: string, show: boolean, options: ScriptOptions): Promise<Answer> => {
    const split = (stream: 'stdout' | 'stderr') => lineSplitter((line) => showLine(scope, stream, line))
    const [out, err] = show && scope.onLine !== undefined ? [split('stdout'), split('stderr')] : [null, null]
    const result = await shell.run(script, {
      signal: scope.signal,
      keep: options.keep ?? keptByDefault,
      ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
      onStdout: (chunk) => {
        out?.push(chunk)
        options.onStdout?.(chunk)
      },
      onStderr: (chunk) => err?.push(chunk),
    })
    out?.end()
    err?.end()
    const stderr = result.stderr.toString()
    const killed = result.signal === undefined ? '' : `killed by SIG${result.signal}`
    return {
      code: result.code,
      stdout: result.stdout,
      stderr: withoutSignals(stderr) + killed,
      said: signalsIn(stderr),
      truncated: result.truncated,
    }
  }
  const judged = (answer: Answer, options: ScriptOptions): Answer => {
    if (answer.code !== 0 && options.orElse !== undefined) throw plainer(options.orElse(answer)).at({ host: shell.host })
    return answer
  }
  return {
    host: shell.host,
    scope,
    ask: async (script, options = {}) => judged(await run(script, false, options), options),
    change: async (script, options = {}) =>
      await note.ahead(async (prefix) => {
        const answer = await run(prefix + script, true, options)
        refuseFenced(answer, scope, shell.host)
        return judged(answer, options)
      }),
  }
}

function showLine(scope: Scope, stream: 'stdout' | 'stderr', line: string): void {
  const shown = withoutSignals(line)
  if (shown !== '' || line === '') scope.onLine?.(stream, shown)
}

function refuseFenced(answer: Answer, scope: Scope, host: HostName): void {
  const newer = answer.said.get('fenced')
  if (newer !== undefined) throw fail('KX_FENCED', { newer, own: scope.note?.fence ?? 0 }, { where: { host } })
  const unnoted = answer.said.get('unnoted')
  if (unnoted !== undefined) {
    throw fail('KX_FILE', { action: 'writing', path: unnoted, why: lastLines(answer.stderr, 1) || 'no reason given' }, { where: { host } })
  }
}

/** What the kernel says where a host itself is in the way: that has a fix of its own, whatever was being done. */
const troubles = [
  { says: /no space left on device|disk quota exceeded/i, code: 'KX_HOST_DISK_FULL' },
  { says: /exec format error/i, code: 'KX_EXEC_FORMAT' },
] as const satisfies readonly { readonly says: RegExp; readonly code: Code }[]

/** The error that names the trouble, where what was seen tells it. */
export function plainer(error: KubexmError): KubexmError {
  const seen = error.seen ?? error.message
  const trouble = troubles.find(({ says }) => says.test(seen))
  return trouble === undefined ? error : fail(trouble.code, { what: error.message }, { where: error.where, seen, cause: error })
}

/** What a failed script printed, shortened for an error. */
export const seenIn = (answer: Answer): string => lastLines(answer.stderr.trim() === '' ? answer.stdout.toString() : answer.stderr, 20)

/** An `orElse` for scripts whose failure is about a path. */
export const fileFailure =
  (action: string, path: string) =>
  (answer: Answer): KubexmError =>
    fail('KX_FILE', { action, path, why: lastLines(seenIn(answer), 1) || `code ${answer.code}` }, { seen: seenIn(answer) })

/** An `orElse` for scripts that stand for one well-known command. */
export const commandFailure =
  (command: string) =>
  (answer: Answer): KubexmError =>
    fail('KX_COMMAND', { command, code: answer.code }, { seen: seenIn(answer) })

/** A path that is not absolute would mean whatever directory the login starts in: that is a mistake of ours. */
export function absolute(path: string): string {
  if (!path.startsWith('/') || path.includes('\0'))
    throw new KubexmError('KX_BUG' satisfies Code, { what: `"${path}" is not an absolute path` })
  return path
}
