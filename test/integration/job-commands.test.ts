// Jobs on the command line, as processes: detached, at a server, watched, cancelled, resumed, taken over.
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findJob, openJobs, requestCancel } from '../../src/app/jobs/index.ts'
import { portableConfig, unreachableConfig } from '../support/api.ts'
import { cli, type RunningCli, startCli } from '../support/cli.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { submit, until } from '../support/job-runs.ts'

const config = portableConfig().replace('hunter2secret', '{env: NODE_PASSWORD}')
const secret = { NODE_PASSWORD: 'hunter2secret' }
const sentence = /^Job created with ID: ([0-9a-f-]{36})\. Run 'kubexm get job \1' to check status\.\n$/

const withConfig = <T>(use: (cwd: string, run: (...args: string[]) => ReturnType<typeof cli>) => Promise<T>, text = config): Promise<T> =>
  inTemporaryDirectory(async (cwd) => {
    await writeFile(join(cwd, 'cluster.yaml'), text)
    return await use(cwd, (...args) => cli(args, { cwd, env: secret }))
  })

const rehearsal = ['create', 'cluster', '-f', 'cluster.yaml', '--rehearse', '--until', 'node'] as const

async function stopped(running: RunningCli, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
  running.child.kill(signal)
  return (await running.ended).code
}

it(
  'a job is left to a worker, looked at, and its log followed',
  () =>
    withConfig(async (cwd, run) => {
      const detached = await run(...rehearsal, '--detach')
      const id = sentence.exec(detached.stdout)?.[1] ?? ''
      expect([detached.code, id, detached.stderr]).toEqual([0, expect.stringMatching(/^.{36}$/), ''])
      expect((await run('get', 'jobs')).stdout).toMatch(new RegExp(`${id.slice(0, 8)} +lab +create-cluster \\(rehearsed\\) +Pending`))
      expect(await readFile(join(cwd, '.kubexm/jobs.db'), 'latin1')).not.toContain('hunter2secret')

      // Its environment does not have the password.
      const worker = startCli(['worker', '--concurrency', '1'], { cwd })
      const log = await run('logs', 'job', id, '-f')
      expect(log.code).toBe(0)
      expect(log.stdout).toMatch(/create-cluster started: \d+ steps on \d hosts\n(.|\n)*create-cluster: success\n$/)
      const shown = await run('get', 'job', id.slice(0, 8), '-o', 'json')
      expect(JSON.parse(shown.stdout)).toMatchObject({ id, status: 'Success', attempt: 1, options: { rehearse: true } })
      expect((await run('get', 'job', id, '--watch')).stdout).toMatch(/create-cluster succeeded/)
      expect((await run('cancel', 'job', id)).stderr).toContain('KX_JOB_STATE')
      expect((await run('get', 'job', 'nothere')).code).toBe(2)
      expect(await stopped(worker)).toBe(0)
    }),
  120_000,
)

it(
  'a job is cancelled, and resumed in the foreground',
  () =>
    withConfig(async (_cwd, run) => {
      const id = sentence.exec((await run(...rehearsal, '--detach')).stdout)?.[1] ?? ''
      expect((await run('cancel', 'job', id)).stdout).toBe(`job ${id} is cancelled\n`)
      const resumed = await run('resume', 'job', id)
      expect([resumed.code, resumed.stdout]).toEqual([0, expect.stringContaining('create-cluster succeeded')])
      expect((await run('resume', 'job', id)).code).toBe(2)
    }),
  120_000,
)

it(
  'a run in the foreground is a job too, and fails as it always did',
  () =>
    withConfig(async (_cwd, run) => {
      const failed = await run('create', 'cluster', '-f', 'cluster.yaml')
      expect(failed.code).toBe(11)
      expect(failed.stderr).toContain('KX_CONNECT_REFUSED')
      expect(failed.stdout).toBe('')
      const page = JSON.parse((await run('get', 'jobs', '-o', 'json')).stdout)
      expect(page.items).toMatchObject([{ status: 'Failed', foreground: true, error: { code: 'KX_CONNECT_REFUSED' } }])
      // Nothing is recorded of what changes nothing.
      await run('create', 'cluster', '-f', 'cluster.yaml', '--rehearse', '--until', 'node')
      await run('create', 'cluster', '-f', 'cluster.yaml', '--dry-run')
      expect(JSON.parse((await run('get', 'jobs', '-o', 'json')).stdout).items).toHaveLength(1)
    }, unreachableConfig),
  120_000,
)

it(
  'a server takes jobs over HTTP, and is followed from here',
  () =>
    withConfig(async (cwd, run) =>
      inTemporaryDirectory(async (home) => {
        const server = startCli(['serve', '--listen', '127.0.0.1:0'], { cwd: home })
        const [, url = ''] = await server.until(/listening on (http:\/\/\S+)\n/)
        const [, token = ''] = await server.until(/^(kxt_\S+)$/m)
        const env = { ...secret, KUBEXM_TOKEN: token }
        const remote = (...args: string[]) => cli([...args, '--server', url], { cwd, env })
        const run1 = await remote('create', 'cluster', '-f', 'cluster.yaml', '--rehearse', '--limit', 'node1', '--detach')
        const id = sentence.exec(run1.stdout)?.[1] ?? ''
        expect([run1.code, run1.stderr]).toEqual([0, ''])
        await remote('cancel', 'job', id)
        expect((await remote('get', 'job', id)).stdout).toContain('only node1')
        expect((await remote('get', 'jobs', '--cluster', 'lab')).stdout).toContain(id.slice(0, 8))
        expect((await remote('logs', 'job', id)).code).toBe(0)
        const deleted = await remote('delete', 'cluster', '-f', 'cluster.yaml', '--rehearse', '--yes')
        expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining('delete-cluster succeeded')])
        const refused = await cli(['get', 'jobs', '--server', url], { cwd, env: { KUBEXM_TOKEN: 'kxt_wrong' } })
        expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('KX_UNAUTHORIZED')])
        expect((await remote('create', 'cluster', '-f', 'cluster.yaml', '--until', 'node')).stderr).toContain('cannot be sent to a server')
        expect((await run('get', 'jobs')).stdout).toBe('no jobs\n')
        expect(await stopped(server)).toBe(0)
        expect((await remote('get', 'jobs')).code).toBe(11)
      }),
    ),
  180_000,
)

it(
  'a run in the foreground is watched from other terminals while it lasts',
  () =>
    withConfig(async (cwd) => {
      await using jobs = await openJobs({ directory: cwd, env: {} })
      const { id } = await submit(jobs, { options: { rehearse: true, realTime: true } })
      await requestCancel(jobs.database, id)
      const mine = startCli(['resume', 'job', id], { cwd })
      await until(jobs, id, ({ currentStep }) => currentStep !== null)
      const watching = startCli(['get', 'job', id, '--watch'], { cwd })
      const following = startCli(['logs', 'job', id, '-f'], { cwd })
      await Promise.all([mine, watching, following].map((one) => one.until(/node1/)))
      expect(await findJob(jobs.database, id)).toMatchObject({ status: 'Processing', attempt: 1 })
      mine.child.kill('SIGINT')
      const [own, seen, log] = await Promise.all([mine.ended, watching.ended, following.ended])
      expect([own.code, seen.code, log.code]).toEqual([130, 130, 0])
      for (const { stdout } of [own, seen, log]) expect(stdout).toMatch(/create-cluster.*cancelled/)
      expect(await findJob(jobs.database, id)).toMatchObject({ status: 'Cancelled' })
    }),
  120_000,
)

it(
  'a worker that is killed is followed by another',
  () =>
    inTemporaryDirectory(async (home) => {
      const server = startCli(['api-server', '--listen', '127.0.0.1:0'], { cwd: home })
      const [, url = ''] = await server.until(/listening on (http:\/\/\S+)\n/)
      const token = (await cli(['token', 'create', '--name', 'ci', '--role', 'operator'], { cwd: home })).stdout.trim()
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/yaml' }
      const answer = await fetch(`${url}/api/v1/clusters?rehearse=true&real_time=true`, { method: 'POST', headers, body: portableConfig() })
      const { job_id: id } = (await answer.json()) as { job_id: string }
      const first = startCli(['worker'], { cwd: home })
      await first.until(/begun/)
      expect(await stopped(first, 'SIGKILL')).toBeNull()
      const second = startCli(['worker'], { cwd: home })
      await second.until(/attempt 2/)
      const cancelled = await cli(['cancel', 'job', id], { cwd: home })
      expect(cancelled.stderr + cancelled.stdout, second.said()).toBe(`job ${id} is being cancelled\n`)
      await second.until(/create-cluster lab\): cancelled/)
      expect((await cli(['token', 'list'], { cwd: home })).stdout).toMatch(/ci +operator/)
      expect(await stopped(second)).toBe(0)
      expect(await stopped(server)).toBe(0)
    }),
  180_000,
)
