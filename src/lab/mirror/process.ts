import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** How a program of this machine is run. */
export interface RunOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  onLine?(line: string): void
}

/** How it ended: its output, and the last lines of what it complained about. */
export interface RunResult {
  readonly code: number
  readonly stdout: string
  readonly tail: string
}

const tailLines = 25

/** Runs a program of this machine at the lowest priority; the caller judges its exit code. */
export async function run(command: readonly string[], options: RunOptions = {}): Promise<RunResult> {
  options.signal?.throwIfAborted()
  // Builds take all cores for minutes: whatever else runs on the machine goes first.
  const child = spawn('nice', ['-n', '19', ...command], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that cancelling also ends the compilers it started.
    detached: true,
  })
  const stop = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
  }
  options.signal?.addEventListener('abort', stop, { once: true })
  const tail: string[] = []
  const out: string[] = []
  const keep = (line: string): void => {
    tail.push(line)
    if (tail.length > tailLines) tail.shift()
    options.onLine?.(line)
  }
  createInterface({ input: child.stderr }).on('line', keep)
  createInterface({ input: child.stdout }).on('line', (line) => {
    out.push(line)
    keep(line)
  })
  try {
    const code = await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (status) => resolve(status ?? 128))
    })
    options.signal?.throwIfAborted()
    return { code, stdout: out.join('\n'), tail: tail.join('\n') }
  } finally {
    options.signal?.removeEventListener('abort', stop)
  }
}
