// A worker of its own process that claims jobs as fast as it can, ends each, and prints what it got: see claims.test.ts.
import { claimJob, endJob, openDatabase } from '../../src/store/index.ts'

const [url = '', worker = ''] = process.argv.slice(2)
await using database = await openDatabase(url)
process.stdout.write('ready\n')
await new Promise<void>((go) => process.stdin.once('data', () => go()))
const claimed: { readonly id: string; readonly cluster: string; readonly fence: number; readonly from: number; readonly to: number }[] = []
let misses = 0
const started = performance.now()
while (misses < 20) {
  const claim = await claimJob(database, { worker, process: worker, home: 'h', lease: 60_000 })
  if (claim === null) {
    misses++
    continue
  }
  misses = 0
  const from = performance.timeOrigin + performance.now()
  await endJob(database, claim, { status: 'Success' })
  claimed.push({ id: claim.job.id, cluster: claim.job.cluster, fence: claim.fence, from, to: performance.timeOrigin + performance.now() })
}
process.stdout.write(`${JSON.stringify({ claimed, ms: performance.now() - started })}\n`)
process.stdin.destroy()
