import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'
import { isErrno } from '../util/local-file.ts'

/** The lock, until disposed. It is not exclusive where this machine has no locking program: then other processes may be inside too. */
export interface FileLock extends AsyncDisposable {
  readonly exclusive: boolean
}

/**
 * Waits for the one lock of this name on this machine.
 * The kernel holds it for a small child process that lives as long as its standard input, so a killed kubexm never leaves a stale lock behind.
 */
export async function acquireFileLock(path: string, options: { signal?: AbortSignal; onWait?: () => void } = {}): Promise<FileLock> {
  options.signal?.throwIfAborted()
  await mkdir(dirname(path), { recursive: true })
  const [command, ...args] = lockingProgram(path)
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const stop = (): void => void child.kill('SIGKILL')
  options.signal?.addEventListener('abort', stop, { once: true })
  const waiting = options.onWait === undefined ? undefined : setTimeout(options.onWait, 300)
  try {
    const exited = once(child, 'exit').then(() => 'exited' as const)
    const outcome = await Promise.race([once(child.stdout, 'data').then(() => 'locked' as const), exited])
    options.signal?.throwIfAborted()
    if (outcome === 'exited') throw fail('KX_LOCK_FILE', { file: path }, { seen: String(child.stderr.read() ?? '') })
    return {
      exclusive: true,
      [Symbol.asyncDispose]: async () => {
        child.stdin.end()
        await exited
      },
    }
  } catch (error) {
    // One that was given up in the very moment it was got must not be held for the rest of this process.
    child.stdin.end()
    // A machine without the program (a bare container) still works: temporary names are unique, only work may be done twice.
    if (isErrno(error, 'ENOENT')) return { exclusive: false, [Symbol.asyncDispose]: async () => {} }
    throw error
  } finally {
    clearTimeout(waiting)
    options.signal?.removeEventListener('abort', stop)
  }
}

const lockingProgram = (path: string): [string, ...string[]] =>
  process.platform === 'darwin'
    ? ['lockf', '-k', path, 'sh', '-c', 'echo locked; cat >/dev/null']
    : ['flock', '-x', path, 'sh', '-c', 'echo locked; cat >/dev/null']

/** Runs `work` while holding the lock. */
export async function withFileLock<T>(
  path: string,
  options: { signal?: AbortSignal; onWait?: () => void },
  work: (lock: FileLock) => Promise<T>,
): Promise<T> {
  await using lock = await acquireFileLock(path, options)
  return await work(lock)
}
