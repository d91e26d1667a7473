// A worker of its own process that claims jobs as fast as it can and prints what it got: see claims.test.ts.
// It holds each job for a moment and ends it, or keeps all it gets when only the claims are to be measured.
import { setTimeout as passed } from 'node:timers/promises'
import { claimJob, endJob, openDatabase } from '../../src/store/index.ts'

/** A claim; times are of the one clock that all processes of a machine share. */
export interface Claimed {
  readonly id: string
  readonly cluster: string
  readonly fence: number
  /** Its place among the jobs of the test: see `fill`. */
  readonly nth: number
  readonly from: number
  readonly to: number
}

const [url = '', worker = '', mode] = process.argv.slice(2)
const clock = (): number => Number(process.hrtime.bigint()) / 1e6
await using database = await openDatabase(url)
process.stdout.write('ready\n')
await new Promise<void>((go) => process.stdin.once('data', () => go()))
const claimed: Claimed[] = []
const started = clock()
for (let misses = 0; misses < 20; ) {
  const claim = await claimJob(database, { worker, process: worker, home: 'h', lease: 60_000 })
  if (claim === null) {
    misses++
    if (mode === 'ends') await passed(5)
    continue
  }
  misses = 0
  const from = clock()
  if (mode === 'ends') await passed(Math.random() * 3)
  claimed.push({ id: claim.job.id, cluster: claim.job.cluster, fence: claim.fence, nth: Number(claim.config), from, to: clock() })
  if (mode === 'ends') await endJob(database, claim, { status: 'Success' })
}
process.stdout.write(`${JSON.stringify({ claimed, ms: (claimed.at(-1)?.from ?? started) - started })}\n`)
process.stdin.destroy()
