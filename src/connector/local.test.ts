import { describe, expect, it } from 'vitest'
import { localConnector } from './local.ts'

const run = async (command: string, options: { stdin?: string; signal?: AbortSignal } = {}) => {
  const connection = await localConnector().connect(new AbortController().signal)
  let [stdout, stderr] = ['', '']
  const result = await connection.exec(command, {
    signal: options.signal ?? AbortSignal.timeout(20_000),
    ...(options.stdin === undefined ? {} : { stdin: options.stdin }),
    onStdout: (chunk) => {
      stdout += Buffer.from(chunk).toString()
    },
    onStderr: (chunk) => {
      stderr += Buffer.from(chunk).toString()
    },
  })
  return { ...result, stdout, stderr }
}

describe('the local machine', () => {
  it('runs a command with input, output, errors and code', async () => {
    expect(await run('cat; echo oops >&2; exit 3', { stdin: 'in' })).toEqual({ code: 3, stdout: 'in', stderr: 'oops\n' })
    expect(await run('kill -KILL $$')).toMatchObject({ signal: 'KILL' })
  })

  it('is not stopped by a command that takes no input', async () => {
    expect(await run('true', { stdin: 'x'.repeat(1_000_000) })).toMatchObject({ code: 0 })
  })

  it('ends a hanging command with all its children', async () => {
    await expect(run('sleep 22.3606 & sleep 22.3606', { signal: AbortSignal.timeout(200) })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect((await run(`grep -l -a '[2]2.3606' /proc/[0-9]*/cmdline 2>/dev/null | wc -l`)).stdout.trim()).toBe('0')
  })

  it('starts nothing once aborted', async () => {
    await expect(run('true', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
  })
})
