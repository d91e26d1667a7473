import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { fail } from '../error/index.ts'
import { lastLines } from '../util/last-lines.ts'

/** How a command of the machine ended. */
export interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

interface CommandOptions {
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
  /** Run in this network namespace. */
  readonly netns?: string
  /** Called with every line the command prints, as it prints it. */
  readonly onLine?: (line: string) => void
  /** End the command when this process dies, however it dies. */
  readonly diesWithUs?: boolean
}

/** Runs a program of this machine and gives how it ended, whatever that was. */
export async function attempt(argv: readonly string[], options: CommandOptions = {}): Promise<CommandResult> {
  const [program = '', ...args] = [
    ...(options.diesWithUs ? ['setpriv', '--pdeathsig', 'KILL'] : []),
    ...(options.netns === undefined ? [] : ['nsenter', `--net=${options.netns}`]),
    ...argv,
  ]
  // The words of tools are shown to people and matched by tests: one language.
  const env = { ...process.env, LC_ALL: 'C.UTF-8', ...options.env }
  const { promise, resolve, reject } = Promise.withResolvers<CommandResult>()
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'pipe'] })
  const collected = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    let rest = ''
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      collected[stream] += text
      if (options.onLine === undefined) return
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) options.onLine(line)
    })
  }
  child.on('error', reject).on('close', (code, signal) => resolve({ code: code ?? signalCode(signal), ...collected }))
  // A command that ends without reading its input is judged by its exit code, not by the broken pipe.
  child.stdin.on('error', () => undefined).end(options.input ?? '')
  return promise
}

/** Runs a program of this machine and gives its output; anything but exit code 0 is an error. */
export async function run(argv: readonly string[], options: CommandOptions = {}): Promise<string> {
  const result = await attempt(argv, options)
  if (result.code !== 0) {
    throw fail('KX_LAB_COMMAND', { command: argv.join(' '), code: result.code }, { seen: lastLines(result.stderr || result.stdout) })
  }
  return result.stdout
}

// As a shell reports it.
const signalCode = (signal: NodeJS.Signals | null): number => 128 + (signal === null ? 0 : constants.signals[signal])
