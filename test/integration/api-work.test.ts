// Work on clusters over HTTP: one route for each operation there is, run as the command line would run it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { PipelineName } from '../../src/app/index.ts'
import { pipelines } from '../../src/pipeline/index.ts'
import { findJob } from '../../src/store/index.ts'
import { type Answer, portableConfig, type TestApi, withApi } from '../support/api.ts'
import { cli } from '../support/cli.ts'

const routes: Readonly<Record<PipelineName, readonly [method: string, path: string]>> = {
  'create-cluster': ['POST', '/api/v1/clusters'],
  'delete-cluster': ['DELETE', '/api/v1/clusters/lab'],
  preflight: ['POST', '/api/v1/clusters/lab/preflight'],
}

interface Asked {
  readonly query?: string
  readonly key?: string
  readonly config?: string
}

const ask = (api: TestApi, pipeline: PipelineName, { query = '', key, config = portableConfig() }: Asked = {}): Promise<Answer> => {
  const [method, path] = routes[pipeline]
  return api.send(method, path + query, {
    as: 'operator',
    ...(pipeline === 'create-cluster' ? { body: config } : {}),
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })
}

const accepted = async (api: TestApi, pipeline: PipelineName, asked: Asked = {}) => {
  const answer = await ask(api, pipeline, asked)
  expect([answer.status, answer.headers.get('location')]).toEqual([202, `/api/v1/jobs/${answer.json.job_id}`])
  return findJob(api.jobs.database, answer.json.job_id)
}

const refused = async (api: TestApi, pipeline: PipelineName, asked: Asked, says: RegExp): Promise<void> =>
  expect(await ask(api, pipeline, asked)).toMatchObject({ status: 400, json: { code: 'KX_REQUEST', problem: expect.stringMatching(says) } })

/** Kept as JSON, which has no infinity: null is as many as there are. */
const all = { maxFailed: null }

const operations = Object.keys(pipelines) as readonly PipelineName[]

describe('work on a cluster', () => {
  it('can be asked for: every operation there is', () =>
    withApi(async (api) => {
      await accepted(api, 'create-cluster')
      for (const pipeline of operations)
        expect(await accepted(api, pipeline)).toMatchObject({ pipeline, cluster: 'lab', status: 'Pending' })
    }))

  it('is one job for one Idempotency-Key, whichever operation it is', () =>
    withApi(async (api) => {
      await accepted(api, 'create-cluster')
      for (const pipeline of operations) {
        const key = `key-of-${pipeline}`
        const { id } = await accepted(api, pipeline, { key })
        expect((await accepted(api, pipeline, { key })).id).toBe(id)
        const other = await ask(api, pipeline, { key, query: '?parallel=7' })
        expect([other.status, other.json.code]).toEqual([409, 'KX_IDEMPOTENCY'])
      }
      expect((await ask(api, 'preflight', { key: 'with blanks in it' })).json.code).toBe('KX_REQUEST')
    }))

  it('goes on without hosts that fail where the command line would: a delete, and where the config says so', () =>
    withApi(async (api) => {
      expect((await accepted(api, 'create-cluster')).options).toMatchObject({ maxFailed: 0 })
      expect((await accepted(api, 'preflight')).options).toMatchObject({ maxFailed: 0 })
      expect((await accepted(api, 'delete-cluster')).options).toMatchObject(all)
      expect((await accepted(api, 'delete-cluster', { query: '?max_failed=1' })).options).toMatchObject({ maxFailed: 1 })
      expect((await accepted(api, 'delete-cluster', { query: '?rollback_on_failure=true' })).options).toMatchObject({
        maxFailed: 0,
        rollbackOnFailure: true,
      })
      await refused(api, 'delete-cluster', { query: '?rollback_on_failure=true&max_failed=1' }, /max_failed .* rollback_on_failure/)
      const config = portableConfig().replace('password:', 'ignoreErr: true\n    password:')
      for (const pipeline of operations) expect((await accepted(api, pipeline, { config })).options).toMatchObject(all)
      await refused(api, 'preflight', { query: '?rollback_on_failure=true' }, /ignoreErr/)
    }))

  it('is refused for hosts that the config does not have, and for what the operation does not know', () =>
    withApi(async (api) => {
      await accepted(api, 'create-cluster')
      for (const pipeline of operations) {
        expect((await accepted(api, pipeline, { query: '?limit_hosts=node2' })).options).toMatchObject({ limitHosts: ['node2'] })
        await refused(api, pipeline, { query: '?limit_hosts=node2,node9' }, /limit_hosts names node9/)
        await refused(api, pipeline, { query: '?max_failed=-1' }, /max_failed/)
        if (pipeline !== 'delete-cluster') await refused(api, pipeline, { query: '?purge_data=true' }, /purge_data/)
      }
    }))

  it('sent by the command line says how many hosts may fail, and refuses what only this machine knows', () =>
    withApi(async (api) => {
      const cwd = api.directory
      await writeFile(join(cwd, 'cluster.yaml'), portableConfig())
      await accepted(api, 'create-cluster')
      const remote = (...args: readonly string[]) =>
        cli([...args, '-f', 'cluster.yaml', '--server', api.url, '--detach', '--yes'], { cwd, env: { KUBEXM_TOKEN: api.tokens.operator } })
      const sent = await remote('delete', 'cluster', '--max-failed', '2')
      const [, id = sent.stderr] = /ID: (\S+)\./.exec(sent.stdout) ?? []
      expect(await findJob(api.jobs.database, id)).toMatchObject({ pipeline: 'delete-cluster', options: { maxFailed: 2 } })
      const local = await remote('create', 'cluster', '--mirror', 'http://127.0.0.1:1', '--zone', 'cn')
      expect([local.code, local.stderr]).toEqual([2, expect.stringContaining('--mirror, --zone cannot be sent to a server')])
    }))
})
