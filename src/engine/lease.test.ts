import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { takeLease } from './lease.ts'

/** Another process that takes the lease, tells its number or its refusal, and holds on. */
function rival(file: string): { readonly says: Promise<string>; kill(): Promise<void> } {
  const code = `import { takeLease } from ${JSON.stringify(join(import.meta.dirname, 'lease.ts'))}
    try { const lease = await takeLease(${JSON.stringify(file)}, 'c'); console.log('got ' + lease.fence); setInterval(() => {}, 1000) }
    catch (error) { console.log(error.code) }`
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const says = once(child.stdout, 'data').then(([data]) => String(data).trim())
  return {
    says,
    kill: async () => {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
  }
}

describe('lease', () => {
  it('has one holder at a time, and a higher number for each', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'lock.json')
      {
        await using first = await takeLease(file, 'c')
        expect(first.fence).toBe(1)
        await expect(takeLease(file, 'c')).rejects.toMatchObject({ code: 'KX_LOCKED', exitCode: 15 })
      }
      await using second = await takeLease(file, 'c')
      expect(second.fence).toBe(2)
    }))

  it(
    'goes to exactly one of many processes that want it at once',
    () =>
      inTemporaryDirectory(async (directory) => {
        const file = join(directory, 'lock.json')
        const rivals = Array.from({ length: 5 }, () => rival(file))
        const said = await Promise.all(rivals.map((one) => one.says))
        await Promise.all(rivals.map((one) => one.kill()))
        expect(said.sort()).toEqual(['KX_LOCKED', 'KX_LOCKED', 'KX_LOCKED', 'KX_LOCKED', 'got 1'])
      }),
    30_000,
  )

  it('is taken over from a process that was killed, at once', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'lock.json')
      const killed = rival(file)
      expect(await killed.says).toBe('got 1')
      await expect(takeLease(file, 'c')).rejects.toMatchObject({ code: 'KX_LOCKED' })
      await killed.kill()
      await using mine = await takeLease(file, 'c')
      expect(mine.fence).toBe(2)
    }))

  it('of another machine is taken over only when it was not renewed in time', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'lock.json')
      const holder = { id: 'x', pid: 1, machine: 'elsewhere', boot: 'b', fence: 7, since: 'then' }
      await writeFile(file, JSON.stringify({ ...holder, expires: Date.now() + 20_000 }))
      await expect(takeLease(file, 'c')).rejects.toMatchObject({ code: 'KX_LOCKED' })
      await writeFile(file, JSON.stringify({ ...holder, expires: Date.now() - 1 }))
      await using mine = await takeLease(file, 'c')
      expect(mine.fence).toBe(8)
      expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ fence: 8 })
    }))

  it('is taken from a process that lives but is paused, by who has the newer claim of the same job database', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'lock.json')
      await using old = await takeLease(file, 'c', { name: 'database', fence: 5 })
      expect(old.fence).toBe(5)
      await expect(takeLease(file, 'c')).rejects.toMatchObject({ code: 'KX_LOCKED' })
      await expect(takeLease(file, 'c', { name: 'another database', fence: 9 })).rejects.toMatchObject({ code: 'KX_LOCKED' })
      await using mine = await takeLease(file, 'c', { name: 'database', fence: 6 })
      expect(mine.fence).toBe(6)
    }))

  it('has a number above those of both the file and the claim', () =>
    inTemporaryDirectory(async (directory) => {
      const file = join(directory, 'lock.json')
      await writeFile(file, JSON.stringify({ id: 'x', pid: 1, machine: 'elsewhere', boot: 'b', fence: 40, since: 'then', expires: 0 }))
      await using mine = await takeLease(file, 'c', { name: 'database', fence: 6 })
      expect(mine.fence).toBe(41)
    }))
})
