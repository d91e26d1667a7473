// The job database: one suite, two databases.
import { setTimeout as passed } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import {
  appendEvents,
  claimJob,
  configOf,
  cursorOf,
  endDeadForeground,
  endJob,
  findCluster,
  findJob,
  type Job,
  lastEvents,
  listClusters,
  listJobs,
  openDatabase,
  readEvents,
  removeOldJobs,
  renewLease,
  requestCancel,
  requestResume,
  standingOf,
  startForeground,
  submitJob,
} from '../../src/store/index.ts'
import { migrations } from '../../src/store/migrations.ts'
import { processIdentity } from '../../src/util/process-identity.ts'
import { aJob, describeStores, someone } from '../support/stores.ts'

const eventsFrom = (first: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ seq: first + i, at: new Date(), type: 'note', json: `{"n":${first + i}}` }))

describeStores('the job database', (store) => {
  describe('jobs', () => {
    it('are found by id, by its beginning, and by nothing else', () =>
      store.with(async (database) => {
        const job = await submitJob(database, aJob({ config: 'the config' }))
        expect(await findJob(database, job.id)).toEqual(job)
        expect(await findJob(database, job.id.slice(0, 8).toUpperCase())).toEqual(job)
        expect(await configOf(database, job.id)).toBe('the config')
        for (const id of ['', '%', 'zzzzzz', job.id.slice(0, 5), `${job.id}x`, "' OR 1=1 --"])
          await expect(findJob(database, id)).rejects.toMatchObject({ code: 'KX_JOB_UNKNOWN' })
      }))

    it('are one job when the same request is sent twice, and refused when another one has the key', () =>
      store.with(async (database) => {
        const wish = aJob({ idempotency: { key: 'k', requestHash: 'a' } })
        const all = await Promise.all(Array.from({ length: 8 }, () => submitJob(database, wish)))
        expect(new Set(all.map(({ id }) => id)).size).toBe(1)
        expect(await listJobs(database, { limit: 10 })).toHaveLength(1)
        await expect(submitJob(database, { ...wish, idempotency: { key: 'k', requestHash: 'b' } })).rejects.toMatchObject({
          code: 'KX_IDEMPOTENCY',
        })
      }))

    it('are listed newest first, page by page, each once', () =>
      store.with(async (database) => {
        for (let i = 0; i < 23; i++) await submitJob(database, aJob({ cluster: i % 2 === 0 ? 'even' : 'odd' }))
        const seen: Job[] = []
        for (let after: string | undefined; ; ) {
          const page = await listJobs(database, { limit: 5, ...(after === undefined ? {} : { after }) })
          seen.push(...page)
          const last = page.at(-1)
          if (last === undefined) break
          after = cursorOf(last)
        }
        expect(new Set(seen.map(({ id }) => id)).size).toBe(23)
        expect(seen.map(({ createdAt }) => createdAt.getTime())).toEqual(
          seen.map(({ createdAt }) => createdAt.getTime()).toSorted((a, b) => b - a),
        )
        expect(await listJobs(database, { limit: 50, cluster: 'odd' })).toHaveLength(11)
        await expect(listJobs(database, { limit: 5, after: 'nonsense' })).rejects.toMatchObject({ code: 'KX_CURSOR' })
      }))

    it('are cancelled at once while they wait, by their worker while they run, and can be resumed', () =>
      store.with(async (database) => {
        const waiting = await submitJob(database, aJob())
        expect(await requestCancel(database, waiting.id)).toMatchObject({ status: 'Cancelled' })
        await expect(requestCancel(database, waiting.id)).rejects.toMatchObject({ code: 'KX_JOB_STATE' })
        expect(await requestResume(database, waiting.id)).toMatchObject({ status: 'Pending', cancelRequested: false })

        const claim = await claimJob(database, someone)
        if (claim === null) throw new Error('nothing to claim')
        expect(await standingOf(database, claim)).toEqual({ held: true, cancel: false })
        expect(await requestCancel(database, waiting.id)).toMatchObject({ status: 'Processing', cancelRequested: true })
        expect(await standingOf(database, claim)).toEqual({ held: true, cancel: true })
        expect(await renewLease(database, claim, 1000)).toEqual({ held: true, cancel: true })
        // Handed back by a worker that has to end: nobody needs to take it only to cancel it.
        await endJob(database, claim, { status: 'Pending' })
        expect(await findJob(database, waiting.id)).toMatchObject({ status: 'Cancelled' })
        expect((await findJob(database, waiting.id)).finishedAt).not.toBeNull()
      }))

    it('of one cluster never run side by side; others do not wait for them', () =>
      store.with(async (database) => {
        const [a1, a2, b] = [aJob({ cluster: 'a' }), aJob({ cluster: 'a' }), aJob({ cluster: 'b' })]
        const first = await submitJob(database, a1)
        await passed(2)
        const second = await submitJob(database, a2)
        await passed(2)
        const other = await submitJob(database, b)
        const claims = [await claimJob(database, someone), await claimJob(database, someone), await claimJob(database, someone)]
        expect(claims.map((claim) => claim?.job.id)).toEqual([first.id, other.id, undefined])
        await endJob(database, claims[0] as never, { status: 'Success' })
        const next = await claimJob(database, someone)
        expect(next?.job.id).toBe(second.id)
        expect(next?.fence).toBe(2)
      }))

    it('of a silent worker are taken over with a higher number; the silent one can do nothing any more', () =>
      store.with(async (database) => {
        await submitJob(database, aJob({ cluster: 'a' }))
        const old = await claimJob(database, { ...someone, lease: 50 })
        if (old === null) throw new Error('nothing to claim')
        await appendEvents(database, old, eventsFrom(old.nextSeq, 3), 'Install etcd on node1')
        expect(await claimJob(database, { ...someone, worker: 'w2' })).toBeNull()
        await passed(80)
        const taken = await claimJob(database, { ...someone, worker: 'w2' })
        expect(taken).toMatchObject({ fence: 2, nextSeq: 4, job: { attempt: 2, worker: 'w2', currentStep: 'Install etcd on node1' } })

        expect(await renewLease(database, old, 1000)).toEqual({ held: false, cancel: false })
        expect(await standingOf(database, old)).toEqual({ held: false, cancel: false })
        await expect(appendEvents(database, old, eventsFrom(4, 1), 'x')).rejects.toMatchObject({ code: 'KX_JOB_LOST' })
        await expect(endJob(database, old, { status: 'Success' })).rejects.toMatchObject({ code: 'KX_JOB_LOST' })
        expect(await lastEvents(database, [old.job.id])).toEqual(new Map([[old.job.id, 3]]))
      }))

    it('go on only where their work directory is, unless that is given up', () =>
      store.with(async (database) => {
        const [one, other] = [someone, { ...someone, home: 'h2' }]
        await submitJob(database, aJob({ cluster: 'a' }))
        const claim = await claimJob(database, one)
        await endJob(database, claim as never, { status: 'Failed' })
        const again = await submitJob(database, aJob({ cluster: 'a' }))
        expect(await claimJob(database, other)).toBeNull()
        expect((await claimJob(database, { ...other, adopt: true }))?.job.id).toBe(again.id)
        // Now that is its home.
        await submitJob(database, aJob({ cluster: 'b', changes: false }))
        expect((await claimJob(database, one))?.job.cluster).toBe('b')
        expect((await findJob(database, again.id)).status).toBe('Processing')
      }))

    it('of a cluster that was deleted may go on anywhere', () =>
      store.with(async (database) => {
        await submitJob(database, aJob({ cluster: 'a', pipeline: 'delete-cluster' }))
        await endJob(database, (await claimJob(database, someone)) as never, { status: 'Success', leavesHome: true })
        await submitJob(database, aJob({ cluster: 'a' }))
        expect(await claimJob(database, { ...someone, home: 'h2' })).not.toBeNull()
      }))

    it('keep their events in order, once each, also when an answer is lost and they are sent again', () =>
      store.with(async (database) => {
        await submitJob(database, aJob())
        const claim = await claimJob(database, someone)
        if (claim === null) throw new Error('nothing to claim')
        await appendEvents(database, claim, eventsFrom(1, 1000), null)
        await appendEvents(database, claim, eventsFrom(900, 200), null)
        const seqs: number[] = []
        for (let last = 0; ; ) {
          const page = await readEvents(database, claim.job.id, last, 300)
          if (page.length === 0) break
          seqs.push(...page.map(({ seq }) => seq))
          last = seqs.at(-1) as number
        }
        expect(seqs).toEqual(Array.from({ length: 1099 }, (_, i) => i + 1))
      }))
  })

  describe('a job at a terminal', () => {
    it('is not for workers, and keeps others away from its cluster', () =>
      store.with(async (database) => {
        const mine = await startForeground(database, aJob({ cluster: 'a' }), someone, { resume: false })
        expect(mine).toMatchObject({ takesOver: false, fence: 1, job: { foreground: true, status: 'Processing' } })
        await expect(startForeground(database, aJob({ cluster: 'a' }), someone, { resume: false })).rejects.toMatchObject({
          code: 'KX_LOCKED',
          exitCode: 15,
          params: { owner: `job ${mine.job.id} (w1)` },
        })
        await submitJob(database, aJob({ cluster: 'a' }))
        expect(await claimJob(database, someone)).toBeNull()
      }))

    it('whose process is known to be gone is not waited for', () =>
      store.with(async (database) => {
        const [machine, namespace, boot] = processIdentity().split(' ')
        const killed = { ...someone, process: [machine, namespace, boot, '4194399', '1'].join(' ') }
        const alive = { ...someone, process: processIdentity() }
        const dead = await startForeground(database, aJob({ cluster: 'a' }), killed, { resume: false })
        const resumed = await startForeground(database, aJob({ cluster: 'a' }), alive, { resume: true })
        expect(resumed).toMatchObject({ takesOver: true, fence: 2, job: { id: dead.job.id, attempt: 2 } })
        await expect(startForeground(database, aJob({ cluster: 'a' }), alive, { resume: true })).rejects.toMatchObject({
          code: 'KX_LOCKED',
        })
        await startForeground(database, aJob({ cluster: 'b' }), killed, { resume: false })
        await endDeadForeground(database)
        expect(await findJob(database, dead.job.id)).toMatchObject({ status: 'Processing' })
        const [failed] = await listJobs(database, { cluster: 'b', limit: 1 })
        expect(failed).toMatchObject({ status: 'Failed', error: { code: 'KX_JOB_ABANDONED' } })
      }))

    it('whose process died is failed, not taken over; --resume goes on with it', () =>
      store.with(async (database) => {
        const dead = await startForeground(database, aJob({ cluster: 'a' }), { ...someone, lease: 20 }, { resume: false })
        await passed(40)
        expect(await claimJob(database, someone)).toBeNull()
        await endDeadForeground(database)
        expect(await findJob(database, dead.job.id)).toMatchObject({ status: 'Failed', error: { code: 'KX_JOB_ABANDONED' } })
        const resumed = await startForeground(database, aJob({ cluster: 'a', config: 'mended' }), someone, { resume: true })
        expect(resumed).toMatchObject({ takesOver: true, fence: 2, config: 'mended', job: { id: dead.job.id, attempt: 2, error: null } })
        await endJob(database, resumed, { status: 'Success' })
        const next = await startForeground(database, aJob({ cluster: 'a' }), someone, { resume: true })
        expect(next.job.id).not.toBe(dead.job.id)
        expect(next.fence).toBe(3)
      }))
  })

  describe('retention', () => {
    it('removes what is old, but never what the next job needs', () =>
      store.with(async (database) => {
        const run = async (status: 'Success' | 'Failed', changes = true): Promise<Job> => {
          await submitJob(database, aJob({ cluster: 'a', changes }))
          const claim = await claimJob(database, someone)
          if (claim === null) throw new Error('nothing to claim')
          await appendEvents(database, claim, eventsFrom(1, 5), null)
          await endJob(database, claim, { status })
          await passed(3)
          return claim.job
        }
        const old = await run('Failed')
        const created = await run('Success')
        await run('Failed')
        const looked = await run('Success', false)
        await passed(20)
        // Cancelled while it waited: the newest job, but with no number of its own.
        const newest = await submitJob(database, aJob({ cluster: 'a' }))
        await requestCancel(database, newest.id)
        await passed(20)
        expect(await removeOldJobs(database, 60_000)).toBe(0)
        expect(await removeOldJobs(database, 10)).toBe(2)
        expect((await listJobs(database, { limit: 9 })).map(({ id }) => id)).toEqual([newest.id, looked.id, created.id])
        expect(await readEvents(database, old.id, 0, 9)).toEqual([])
        expect(await findCluster(database, 'a')).toMatchObject({ lastChange: 'create-cluster', lastJob: { id: newest.id } })
        await submitJob(database, aJob({ cluster: 'a' }))
        expect((await claimJob(database, someone))?.fence).toBe(5)
      }))
  })

  describe('clusters', () => {
    it('are told from their jobs, page by page', () =>
      store.with(async (database) => {
        for (const cluster of ['c', 'a', 'b', 'a']) {
          await submitJob(database, aJob({ cluster }))
          await passed(2)
        }
        const first = await listClusters(database, { limit: 2 })
        expect(first.map(({ name, lastChange }) => [name, lastChange])).toEqual([
          ['a', null],
          ['b', null],
        ])
        expect((await listClusters(database, { limit: 2, after: 'b' })).map(({ name }) => name)).toEqual(['c'])
        expect(await findCluster(database, 'zzz')).toBeNull()
      }))
  })

  describe('the schema', () => {
    it('of an older version is brought up to date with what is in it; the older version then refuses it', () =>
      store.withUrl(async (url) => {
        const before = migrations.slice(0, 1)
        const old = await openDatabase(url, before)
        const job = await submitJob(old, aJob())
        await old[Symbol.asyncDispose]()
        await using database = await openDatabase(url)
        expect((await claimJob(database, someone))?.job.id).toBe(job.id)
        const done = await database.query.selectFrom('migrations').select('id').orderBy('id').execute()
        expect(done.map(({ id }) => id)).toEqual(migrations.map(({ id }) => id))
        await expect(openDatabase(url, before)).rejects.toMatchObject({ code: 'KX_STORE_NEWER' })
      }))

    it('is made once by many that start at once', () =>
      store.withUrl(async (url) => {
        const all = await Promise.all(Array.from({ length: 6 }, () => openDatabase(url)))
        await Promise.all(all.slice(1).map((one) => one[Symbol.asyncDispose]()))
        await submitJob(all[0] as never, aJob())
        await all[0]?.[Symbol.asyncDispose]()
      }))
  })
})
