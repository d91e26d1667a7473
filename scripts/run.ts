import { spawn } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..')

/** How a program ended and what it said. */
export interface Ended {
  readonly code: number
  readonly output: string
  readonly ms: number
}

/** Runs a program of node_modules or the system; its output is kept, and shown as it comes when asked for. */
export function run(
  command: string,
  args: readonly string[],
  options: { readonly show?: boolean; readonly env?: NodeJS.ProcessEnv; readonly cwd?: string } = {},
): Promise<Ended> {
  const started = Date.now()
  const path = `${join(root, 'node_modules', '.bin')}:${process.env.PATH ?? ''}`
  const child = spawn(command, args, {
    cwd: options.cwd ?? root,
    env: { ...process.env, PATH: path, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString()
      if (options.show === true) process.stdout.write(chunk)
    })
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code: code ?? 1, output, ms: Date.now() - started }))
  })
}
