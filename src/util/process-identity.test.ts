import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isGone, processIdentity } from './process-identity.ts'

/** The identity another process gives itself. */
async function other(): Promise<{ readonly identity: string; end(): Promise<void> }> {
  const code = `import { processIdentity } from ${JSON.stringify(join(import.meta.dirname, 'process-identity.ts'))}
    process.stdout.write(processIdentity()); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [data] = await once(child.stdout, 'data')
  return {
    identity: String(data),
    end: async () => {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe('the identity of a process', () => {
  it('says that it lives as long as it does, and at once when it was killed', async () => {
    const { identity, end } = await other()
    expect(isGone(identity)).toBe(false)
    await end()
    expect(isGone(identity)).toBe(true)
    expect(isGone(processIdentity())).toBe(false)
  })

  it('is not that of a later process with the same number, nor of one before the last start of the machine', () => {
    const [machine, namespace, boot, pid] = processIdentity().split(' ')
    expect(isGone([machine, namespace, boot, pid, '1'].join(' '))).toBe(true)
    expect(isGone([machine, namespace, 'another-boot', pid, '1'].join(' '))).toBe(true)
  })

  it('says nothing of processes of other machines or containers', () => {
    const [machine, namespace, boot, pid] = processIdentity().split(' ')
    expect(isGone(['elsewhere', namespace, boot, pid, '1'].join(' '))).toBe(false)
    expect(isGone([machine, 'pid:[1]', boot, pid, '1'].join(' '))).toBe(false)
  })
})
