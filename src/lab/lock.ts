import { spawn } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'

/**
 * Runs `work` while no other process holds the lock on `file`.
 * The kernel's lock is held by a child that ends when its input closes, so that a killed kubexm never leaves a lock behind.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true })
  const holder = spawn('flock', [file, 'sh', '-c', 'echo held; exec cat >/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
  const { promise: held, resolve, reject } = Promise.withResolvers<void>()
  const { promise: released, resolve: onReleased } = Promise.withResolvers<void>()
  holder.stdout.once('data', () => resolve())
  holder.on('error', reject).on('close', (code) => {
    onReleased()
    reject(fail('KX_LAB_COMMAND', { command: `flock ${file}`, code: code ?? 137 }))
  })
  await held
  try {
    return await work()
  } finally {
    holder.stdin.end()
    await released
  }
}
