// Workers on both databases: jobs are run, cancelled, handed over and taken over; who lost a job does nothing more.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as passed } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { findJob, followJob, type Jobs, jobGraph, leaseTime, openJobs, runJob } from '../../src/app/jobs/index.ts'
import { eventFromJson, type RunEvent } from '../../src/event/index.ts'
import { claimJob, readAudit, recordAudit, requestCancel, requestResume } from '../../src/store/index.ts'
import { unreachableConfig } from '../support/api.ts'
import { startCli } from '../support/cli.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { isDone, slow, startWorker, submit, until } from '../support/job-runs.ts'
import { describeStores } from '../support/stores.ts'

const sealing = '42'.repeat(32)
const wrongClock = join(import.meta.dirname, '../support/wrong-clock-process.ts')
const never = new AbortController().signal

/** What a job is run with by a test that claimed it itself. */
const byItself = {
  sinks: [],
  ask: async () => null,
  cancel: never,
  abandon: never,
  handOver: never,
  resume: 'if-begun',
  takesOver: false,
} as const

describeStores('a worker', (store) => {
  const withJobs = <T>(
    use: (jobs: Jobs, open: (key?: string) => Promise<Jobs>, directory: string, env: Record<string, string>) => Promise<T>,
  ): Promise<T> =>
    store.withUrl((url) =>
      inTemporaryDirectory(async (directory) => {
        const env = { KUBEXM_DATABASE_URL: url, KUBEXM_SEALING_KEY: sealing }
        const open = (key = sealing) => openJobs({ directory, env: { ...env, KUBEXM_SEALING_KEY: key } })
        await using jobs = await open()
        return await use(jobs, open, directory, env)
      }),
    )
  const eventsOf = async ({ database }: Jobs, id: string): Promise<readonly RunEvent[]> => {
    const events: RunEvent[] = []
    for await (const { json } of followJob(database, id, { follow: false })) events.push(eventFromJson(JSON.parse(json)))
    return events
  }

  /** The second attempt is at work; seeing it to its end would only take time. */
  const goesOn = async (jobs: Jobs, id: string): Promise<void> => {
    await until(jobs, id, ({ attempt, currentStep }) => attempt === 2 && currentStep !== null)
    await requestCancel(jobs.database, id)
    expect(await until(jobs, id, isDone)).toMatchObject({ status: 'Cancelled', attempt: 2 })
  }

  it('runs jobs, those of different clusters side by side, and records what they told', () =>
    withJobs(async (jobs) => {
      await using _ = startWorker(jobs)
      const all = await Promise.all(['a', 'b', 'a', 'c'].map((name) => submit(jobs, { name })))
      for (const { id } of all)
        expect(await until(jobs, id, isDone)).toMatchObject({ status: 'Success', error: null, currentStep: null, attempt: 1 })
      const [first] = all
      const events = await eventsOf(jobs, first?.id ?? '')
      expect(events.at(0)).toMatchObject({ type: 'pipeline.started', pipelineId: first?.id })
      expect(events.at(-1)).toMatchObject({ type: 'pipeline.finished', outcome: 'success' })
      const graph = await jobGraph(jobs.database, first?.id ?? '', 'create-cluster')
      expect(graph).toMatchObject({ planned: true, seq: events.length })
      expect(new Set(graph.nodes.map(({ state }) => state))).toEqual(new Set(['satisfied', 'succeeded']))
    }))

  it('takes as many jobs at once as it is told, and the next when one has ended', () =>
    withJobs(async (jobs) => {
      const all: string[] = []
      for (const name of ['a', 'b', 'c']) all.push((await submit(jobs, { name, options: { rehearse: true, realTime: true } })).id)
      await using _ = startWorker(jobs, { concurrency: 2 })
      const statuses = () => Promise.all(all.map(async (id) => (await findJob(jobs.database, id)).status))
      await until(jobs, all[1] ?? '', ({ currentStep }) => currentStep !== null)
      // Long enough for a third to be taken.
      await passed(1000)
      expect(await statuses()).toEqual(['Processing', 'Processing', 'Pending'])
      await requestCancel(jobs.database, all[0] ?? '')
      await until(jobs, all[2] ?? '', ({ status }) => status === 'Processing')
      expect(await statuses()).toEqual(['Cancelled', 'Processing', 'Processing'])
      for (const id of all.slice(1)) await requestCancel(jobs.database, id)
    }))

  it('keeps no secret in the database, nor in what a job tells', () =>
    withJobs(async (jobs, _open, directory) => {
      await using _ = startWorker(jobs)
      const { id } = await submit(jobs)
      await until(jobs, id, isDone)
      const tables = ['jobs', 'job_events', 'job_graphs', 'settings'] as const
      const rows = await Promise.all(tables.map((table) => jobs.database.query.selectFrom(table).selectAll().execute()))
      expect(JSON.stringify(rows)).toContain('kxsealed:v1:')
      expect(JSON.stringify(rows)).not.toContain('hunter2secret')
      const files = (await readdir(directory, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
      for (const file of files) expect(await readFile(join(file.parentPath, file.name), 'latin1')).not.toContain('hunter2secret')
    }))

  it('says why a job failed, also when it never began', () =>
    withJobs(async (jobs) => {
      await using _ = startWorker(jobs)
      const { id } = await submit(jobs, { text: unreachableConfig, options: {} })
      const job = await until(jobs, id, isDone)
      expect(job).toMatchObject({ status: 'Failed', error: { code: 'KX_CONNECT_REFUSED' } })
      expect((await eventsOf(jobs, id)).at(-1)).toMatchObject({
        type: 'pipeline.finished',
        outcome: 'failed',
        errors: [{ code: 'KX_CONNECT_REFUSED' }],
      })
    }))

  it('cancels a running job within a second, and resumes it when asked', () =>
    withJobs(async (jobs) => {
      await using _ = startWorker(jobs)
      const { id } = await submit(jobs, { options: slow })
      await until(jobs, id, ({ currentStep }) => currentStep !== null)
      const asked = Date.now()
      await requestCancel(jobs.database, id)
      await until(jobs, id, isDone)
      const reached = (await eventsOf(jobs, id)).find(({ type }) => type === 'pipeline.cancelling')?.at.getTime() ?? Number.NaN
      expect(await findJob(jobs.database, id)).toMatchObject({ status: 'Cancelled', error: null })
      process.stdout.write(
        `${store.kind}: a cancel reached the run after ${reached - asked} ms and ended it after ${Date.now() - asked} ms\n`,
      )
      expect(reached - asked).toBeLessThanOrEqual(1000)
      await requestResume(jobs.database, id)
      await goesOn(jobs, id)
    }))

  it('that has to end hands its job back, and another one finishes it', () =>
    withJobs(async (jobs, open) => {
      const first = startWorker(jobs)
      const { id } = await submit(jobs, { options: slow })
      await until(jobs, id, ({ currentStep }) => currentStep !== null)
      const told = performance.now()
      await first.end()
      expect(performance.now() - told).toBeLessThan(6000)
      expect(await findJob(jobs.database, id)).toMatchObject({ status: 'Pending', worker: null, finishedAt: null })
      expect(first.news.at(-1)).toMatchObject({ type: 'ended', outcome: 'handed over' })
      await using others = await open()
      await using _ = startWorker(others)
      expect(await until(jobs, id, isDone)).toMatchObject({ status: 'Success', attempt: 2 })
    }))

  it('that lost its job stops at once and changes nothing of it any more', () =>
    withJobs(async (jobs, open) => {
      const { id } = await submit(jobs, { options: slow })
      const claim = await claimJob(jobs.database, { worker: 'paused', process: jobs.process, home: jobs.home, lease: 60_000 })
      if (claim === null) throw new Error('nothing to claim')
      const losing = runJob(jobs, claim, byItself)
      await until(jobs, id, ({ currentStep }) => currentStep !== null)
      // As if the process had been paused, or its clock were wrong, until its lease was over.
      await jobs.database.query.updateTable('jobs').set({ lease_until: 1 }).where('id', '=', id).execute()
      await using others = await open()
      await using _ = startWorker(others)
      await expect(losing).rejects.toMatchObject({ code: 'KX_JOB_LOST', exitCode: 15 })
      await goesOn(jobs, id)
      const starts = (await eventsOf(jobs, id)).filter(({ type }) => type === 'pipeline.started')
      expect(starts).toHaveLength(2)
    }))

  it('gives a job up when the database does not answer for so long that another may have it', () =>
    withJobs(async (jobs, open) => {
      const mine = await open()
      const { id } = await submit(jobs, { options: slow })
      const claim = await claimJob(mine.database, { worker: 'cut off', process: jobs.process, home: jobs.home, lease: 1500 })
      if (claim === null) throw new Error('nothing to claim')
      const running = runJob(mine, claim, { ...byItself, lease: 1500 })
      await until(jobs, id, ({ currentStep }) => currentStep !== null)
      await mine[Symbol.asyncDispose]()
      const cut = performance.now()
      await expect(running).rejects.toMatchObject({ code: 'KX_JOB_LOST' })
      expect(performance.now() - cut).toBeLessThan(8000)
      await passed(1600)
      await using _ = startWorker(jobs)
      await goesOn(jobs, id)
    }))

  it('whose clock jumps neither loses its job nor takes that of another', () =>
    withJobs(async (jobs, _open, directory, env) => {
      const { id } = await submit(jobs, { options: { rehearse: true, realTime: true } })
      const workers = [3_600_000, -3_600_000].map((jump) =>
        startCli(['worker'], { cwd: directory, env: { ...env, TEST_CLOCK_JUMP: String(jump), NODE_OPTIONS: `--import=${wrongClock}` } }),
      )
      try {
        await until(jobs, id, ({ currentStep }) => currentStep !== null)
        const { worker } = await findJob(jobs.database, id)
        await Promise.all(workers.map((one) => one.until(/clock is wrong by/)))
        // Longer than it takes to lose a claim by being silent.
        await passed(leaseTime + 2000)
        expect(await findJob(jobs.database, id)).toMatchObject({ status: 'Processing', attempt: 1, worker })
      } finally {
        for (const { child } of workers) child.kill('SIGTERM')
        await Promise.all(workers.map(({ ended }) => ended))
      }
      expect(await findJob(jobs.database, id)).toMatchObject({ status: 'Pending', attempt: 1 })
    }))

  it('removes jobs and audit entries that are older than they are kept', () =>
    withJobs(async (jobs) => {
      const done = async (name: string): Promise<string> => {
        const { id } = await submit(jobs, { name })
        await requestCancel(jobs.database, id)
        await passed(5)
        return id
      }
      const [old, newer] = [await done('a'), await done('a')]
      await recordAudit(jobs.database, { who: 'x', action: 'y', target: 'z', origin: '', outcome: 'done' })
      await passed(50)
      await using _ = startWorker(jobs, { retention: 20 })
      await expect.poll(() => findJob(jobs.database, old).catch(({ code }) => code)).toBe('KX_JOB_UNKNOWN')
      await expect.poll(() => readAudit(jobs.database, 9)).toEqual([])
      expect(await findJob(jobs.database, newer)).toMatchObject({ status: 'Cancelled' })
    }))

  it('refuses a database that was filled with another key, and a key that is none', () =>
    withJobs(async (_jobs, open) => {
      await expect(open('17'.repeat(32))).rejects.toMatchObject({ code: 'KX_SEAL_KEY' })
      await expect(open('short')).rejects.toMatchObject({ code: 'KX_SEAL_KEY' })
      await (await open(sealing))[Symbol.asyncDispose]()
    }))
})
