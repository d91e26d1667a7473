import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

const launcher = join(import.meta.dirname, '../../kubexm')

/** How a command ended. */
export interface CliResult {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A command that runs. */
export interface RunningCli {
  readonly child: ChildProcess
  readonly ended: Promise<CliResult>
  /** What it has printed so far, on both streams. */
  said(): string
  /** Resolves when it has printed something that matches. */
  until(pattern: RegExp): Promise<RegExpExecArray>
}

interface Place {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** The command line as a process of its own. */
export const startCli = (args: readonly string[], options: Place): RunningCli => startProgram([launcher, ...args], options)

/** A program as a process of its own. */
export function startProgram([program = '', ...args]: readonly string[], options: Place): RunningCli {
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  const watchers = new Set<() => void>()
  const keep = (add: (text: string) => void) => (chunk: Buffer) => {
    add(chunk.toString())
    for (const watch of watchers) watch()
  }
  child.stdout.on(
    'data',
    keep((text) => (stdout += text)),
  )
  child.stderr.on(
    'data',
    keep((text) => (stderr += text)),
  )
  const ended = once(child, 'close').then(([code]): CliResult => ({ code: code as number | null, stdout, stderr }))
  const said = (): string => stdout + stderr
  return {
    child,
    ended,
    said,
    until: async (pattern) => {
      const found = Promise.withResolvers<RegExpExecArray>()
      const look = (): void => {
        const match = pattern.exec(said())
        if (match !== null) found.resolve(match)
      }
      watchers.add(look)
      look()
      void ended.then(() => found.reject(new Error(`${args.join(' ')} ended without ${pattern}: ${said()}`)))
      try {
        return await found.promise
      } finally {
        watchers.delete(look)
      }
    },
  }
}

/** Runs a command to its end. */
export const cli = (args: readonly string[], options: Place): Promise<CliResult> => startCli(args, options).ended
