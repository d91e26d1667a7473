import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { withFileLock } from './file-lock.ts'

test('one holder at a time, and the next one after a holder that failed', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-lock-'))
  const file = join(directory, 'deep', 'lock')
  let holders = 0
  let most = 0
  const hold = async (i: number): Promise<number> => {
    holders += 1
    most = Math.max(most, holders)
    await new Promise((resolve) => setTimeout(resolve, 5))
    holders -= 1
    if (i === 1) throw new Error('failed while holding')
    return i
  }
  const results = await Promise.allSettled([0, 1, 2, 3].map((i) => withFileLock(file, {}, () => hold(i))))
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason.message))).toEqual([
    0,
    'failed while holding',
    2,
    3,
  ])
  expect(most).toBe(1)
  await rm(directory, { recursive: true })
})
