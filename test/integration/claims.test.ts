// Workers of several processes on one database: every job once, those of one cluster one after the other.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it } from 'vitest'
import { listJobs, openDatabase, submitJob } from '../../src/store/index.ts'
import { aJob, describeStores, isCalm } from '../support/stores.ts'

interface Claimed {
  readonly id: string
  readonly cluster: string
  readonly fence: number
  readonly from: number
  readonly to: number
}

const workers = 4
const jobs = 2000
const clusters = 500

async function startWorker(url: string, name: string) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, '../support/claim-process.ts'), url, name],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  )
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  expect((await lines.next()).value).toBe('ready')
  return {
    work: async (): Promise<{ readonly claimed: readonly Claimed[]; readonly ms: number }> => {
      child.stdin.write('go\n')
      const { value } = await lines.next()
      await once(child, 'exit')
      return JSON.parse(String(value))
    },
  }
}

describeStores(`${workers} worker processes and ${jobs} jobs`, (store) => {
  it(
    'claim every job once, and never two of a cluster at a time',
    () =>
      store.withUrl(async (url) => {
        {
          await using database = await openDatabase(url)
          for (let i = 0; i < jobs; i++) await submitJob(database, aJob({ cluster: `c${i % clusters}` }))
        }
        const calm = isCalm()
        const all = await Promise.all(Array.from({ length: workers }, (_, i) => startWorker(url, `w${i}`)))
        const results = await Promise.all(all.map((one) => one.work()))
        const claimed = results.flatMap((result) => result.claimed)
        expect(claimed).toHaveLength(jobs)
        expect(new Set(claimed.map(({ id }) => id)).size).toBe(jobs)
        for (const [cluster, own] of Map.groupBy(claimed, (one) => one.cluster)) {
          const inOrder = own.toSorted((a, b) => a.fence - b.fence)
          expect(
            inOrder.map(({ fence }) => fence),
            cluster,
          ).toEqual(inOrder.map((_, i) => i + 1))
        }
        await using database = await openDatabase(url)
        expect(await listJobs(database, { status: 'Success', limit: jobs + 1 })).toHaveLength(jobs)
        const rate = Math.round(jobs / (Math.max(...results.map(({ ms }) => ms)) / 1000))
        process.stdout.write(
          `${store.kind}: ${rate} jobs/s claimed and ended by ${workers} processes; ${results.map((one) => one.claimed.length).join(' ')}\n`,
        )
        expect(rate).toBeGreaterThan(calm ? 300 : 20)
      }),
    300_000,
  )
})
