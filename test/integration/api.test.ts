// Every route of the API over real HTTP.
import { describe, expect, it } from 'vitest'
import { createToken, findJob, requestCancel } from '../../src/store/index.ts'
import { type Answer, portableConfig, type TestApi, withApi } from '../support/api.ts'
import { isDone, startWorker, submit, until } from '../support/job-runs.ts'

const accepted = async (api: TestApi, given: { query?: string; name?: string; key?: string } = {}): Promise<string> => {
  const headers = given.key === undefined ? {} : { 'idempotency-key': given.key }
  const answer = await api.send('POST', `/api/v1/clusters?rehearse=true${given.query ?? ''}`, {
    as: 'operator',
    body: portableConfig(given.name),
    headers,
  })
  expect(answer.status).toBe(202)
  expect(answer.headers.get('location')).toBe(`/api/v1/jobs/${answer.json.job_id}`)
  return answer.json.job_id
}

const refused = (answer: Answer, status: number, code: string): void => {
  expect([answer.status, answer.json?.code]).toEqual([status, code])
  expect(answer.json.problem).not.toBe('')
  expect(answer.json.fix).not.toBe('')
}

describe('the API', () => {
  it('submits a config as YAML or JSON, once for one Idempotency-Key', () =>
    withApi(async (api) => {
      const id = await accepted(api, { key: 'k-1', query: '&parallel=3&limit_hosts=node1,node2&rollback_on_failure=true' })
      expect(await accepted(api, { key: 'k-1', query: '&parallel=3&limit_hosts=node1,node2&rollback_on_failure=true' })).toBe(id)
      const job = await api.send('GET', `/api/v1/jobs/${id.slice(0, 8)}`, { as: 'viewer' })
      expect(job.json).toMatchObject({
        id,
        cluster: 'lab',
        pipeline: 'create-cluster',
        status: 'Pending',
        requested_by: 'the operator',
        options: { rehearse: true, parallel: 3, limit_hosts: ['node1', 'node2'], rollback_on_failure: true, purge_data: false },
      })
      refused(
        await api.send('POST', '/api/v1/clusters', { body: portableConfig(), as: 'operator', headers: { 'idempotency-key': 'k-1' } }),
        409,
        'KX_IDEMPOTENCY',
      )
      // The key of one is not the key of another.
      expect((await api.send('POST', '/api/v1/clusters', { body: portableConfig(), headers: { 'idempotency-key': 'k-1' } })).status).toBe(
        202,
      )
      const json = {
        apiVersion: 'kubexm.mensylisir.io/v1alpha1',
        kind: 'Cluster',
        metadata: { name: 'j' },
        spec: { hosts: [{ name: 'n', address: '10.0.0.1' }], roleGroups: { master: ['n'] } },
      }
      expect((await api.send('POST', '/api/v1/clusters', { body: json })).status).toBe(202)
    }))

  it('answers a bad config with every error, its line, column and fix, in the language of who asks', () =>
    withApi(async (api) => {
      const body = portableConfig().replace('password: hunter2secret', 'pasword: hunter2secret\n    port: many')
      const answer = await api.send('POST', '/api/v1/clusters', { body })
      refused(answer, 422, 'KX_CONFIG')
      expect(answer.json.errors).toMatchObject([
        { code: 'KX_CONFIG_UNKNOWN_KEY', line: 7, col: 5, path: 'spec.global.pasword', fix: 'did you mean password?' },
        { code: 'KX_CONFIG_TYPE', line: 8, col: 11, path: 'spec.global.port' },
      ])
      const chinese = await api.send('POST', '/api/v1/clusters', { body, headers: { 'accept-language': 'zh-CN,zh;q=0.9' } })
      expect(chinese.json.errors[0].problem).toMatch(/\p{Script=Han}/u)
      const checked = await api.send('POST', '/api/v1/configs/validate', { as: 'viewer', body })
      expect(checked.json).toMatchObject({ valid: false, cluster: null, errors: [{ line: 7 }, { line: 8 }] })
      expect((await api.send('POST', '/api/v1/configs/validate', { as: 'viewer', body: portableConfig() })).json).toEqual({
        valid: true,
        cluster: 'lab',
        errors: [],
        warnings: [],
      })
      expect((await api.send('GET', '/api/v1/jobs')).json.items).toEqual([])
    }))

  it('refuses configs that reach into the server, unless it trusts them', async () => {
    const body = portableConfig().replace('password: hunter2secret', 'password: {file: /etc/shadow}')
    await withApi(async (api) => {
      const answer = await api.send('POST', '/api/v1/clusters', { body })
      refused(answer, 422, 'KX_CONFIG')
      expect(answer.json.errors).toMatchObject([{ code: 'KX_CONFIG_NOT_PORTABLE', line: 7 }])
    })
    await withApi(async (api) => expect((await api.send('POST', '/api/v1/clusters', { body })).status).toBe(202), { trustConfigs: true })
  })

  it('lists jobs by page, cluster and status', () =>
    withApi(async (api) => {
      for (const name of ['a', 'b', 'a', 'b', 'a']) await accepted(api, { name })
      const first = await api.send('GET', '/api/v1/jobs?limit=2', { as: 'viewer' })
      const second = await api.send('GET', `/api/v1/jobs?limit=4&after=${first.json.next}`, { as: 'viewer' })
      expect(first.json.items).toHaveLength(2)
      expect(second.json).toMatchObject({ items: [{}, {}, {}], next: null })
      expect((await api.send('GET', '/api/v1/jobs?cluster=b')).json.items).toHaveLength(2)
      expect((await api.send('GET', '/api/v1/jobs?status=Success')).json.items).toEqual([])
      refused(await api.send('GET', '/api/v1/jobs?status=Weird'), 400, 'KX_REQUEST')
      refused(await api.send('GET', '/api/v1/jobs?after=xyz'), 400, 'KX_CURSOR')
      refused(await api.send('GET', '/api/v1/jobs?limit=100000'), 400, 'KX_REQUEST')
      refused(await api.send('GET', '/api/v1/jobs/00000000-0000-0000-0000-000000000000'), 404, 'KX_JOB_UNKNOWN')
    }))

  it('shows the events, log and graph of a job, none with a secret in it', () =>
    withApi(async (api) => {
      await using _ = startWorker(api.jobs)
      const { id } = await submit(api.jobs)
      expect(await until(api.jobs, id, isDone)).toMatchObject({ status: 'Success' })
      const page = await api.send('GET', `/api/v1/jobs/${id}/events?limit=5`, { as: 'viewer', headers: { accept: 'application/json' } })
      expect(page.json).toMatchObject({
        items: [{ seq: 1, event: { type: 'pipeline.started' } }, { seq: 2 }, { seq: 3 }, { seq: 4 }, { seq: 5 }],
        next: '5',
      })
      const stream = await api.send('GET', `/api/v1/jobs/${id}/events`, { headers: { accept: 'text/event-stream' } })
      expect(stream.headers.get('content-type')).toBe('text/event-stream')
      expect(stream.text).toMatch(/^retry: 1000\n\nid: 1\nevent: pipeline\.started\ndata: \{/)
      expect(stream.text).toMatch(/event: end\ndata: \{"id":.*"status":"Success"/)
      const last = stream.text.match(/^id: \d+$/gm)?.length
      expect((await api.send('GET', `/api/v1/jobs/${id}/events`, { headers: { 'last-event-id': String(last) } })).status).toBe(204)
      refused(await api.send('GET', `/api/v1/jobs/${id}/events`, { headers: { 'last-event-id': 'x' } }), 400, 'KX_REQUEST')

      const log = await api.send('GET', `/api/v1/jobs/${id}/logs`)
      expect(log.headers.get('content-type')).toContain('text/plain')
      expect(log.text).toMatch(/^\d\d:\d\d:\d\d INFO {2}.*create-cluster started/)
      const lines = (await api.send('GET', `/api/v1/jobs/${id}/logs?format=json&follow=true&level=debug`)).text.trim().split('\n')
      expect(JSON.parse(lines[0] ?? '')).toMatchObject({ seq: 1, level: 'info', pipeline_id: id })

      const graph = await api.send('GET', `/api/v1/jobs/${id}/graph`)
      expect(graph.json).toMatchObject({ planned: true, pipeline: 'create-cluster', seq: last })
      expect(graph.json.nodes.length).toBeGreaterThan(20)
      expect(graph.json.nodes.find((node: { kind: string }) => node.kind === 'step')).toMatchObject({
        state: expect.stringMatching(/succeeded|satisfied/),
        ms: expect.any(Number),
      })
      for (const { text } of [page, stream, log, graph]) expect(text).not.toContain('hunter2secret')
      refused(await api.send('GET', '/api/v1/jobs/abcdef/graph'), 404, 'KX_JOB_UNKNOWN')
    }))

  it('cancels and resumes jobs, and refuses what cannot be', () =>
    withApi(async (api) => {
      const id = await accepted(api)
      refused(await api.send('POST', `/api/v1/jobs/${id}/resume`, { as: 'operator' }), 409, 'KX_JOB_STATE')
      expect((await api.send('POST', `/api/v1/jobs/${id}/cancel`, { as: 'operator' })).json).toMatchObject({ status: 'Cancelled' })
      refused(await api.send('POST', `/api/v1/jobs/${id}/cancel`, { as: 'operator' }), 409, 'KX_JOB_STATE')
      const resumed = await api.send('POST', `/api/v1/jobs/${id}/resume`, { as: 'operator' })
      expect([resumed.status, resumed.json.status]).toEqual([202, 'Pending'])
    }))

  it('tells of clusters, their nodes, versions and history; the config without secrets', () =>
    withApi(async (api) => {
      const id = await accepted(api)
      await requestCancel(api.jobs.database, id)
      const list = await api.send('GET', '/api/v1/clusters', { as: 'viewer' })
      expect(list.json).toMatchObject({
        items: [{ name: 'lab', hosts: 3, kubernetes_version: expect.stringMatching(/^v1\./), state: 'unknown', last_job: { id } }],
        next: null,
      })
      const one = await api.send('GET', '/api/v1/clusters/lab', { as: 'viewer' })
      expect(one.json).toMatchObject({
        nodes: [{ name: 'node1', roles: expect.arrayContaining(['master']) }, {}, {}],
        certificates: [],
        history: [{ id }],
      })
      expect(one.json.versions.map(({ name }: { name: string }) => name)).toContain('kubernetes')
      const config = await api.send('GET', '/api/v1/clusters/lab/config', { as: 'viewer' })
      expect(config.headers.get('content-type')).toContain('yaml')
      expect(config.text).toBe(portableConfig().replace('hunter2secret', '"***"'))
      const gone = await api.send('DELETE', '/api/v1/clusters/lab?purge_data=true&rehearse=true', { as: 'operator' })
      expect(gone.status).toBe(202)
      expect(await findJob(api.jobs.database, gone.json.job_id)).toMatchObject({
        pipeline: 'delete-cluster',
        options: { purgeData: true, rehearse: true },
      })
      const look = await api.send('POST', '/api/v1/clusters/lab/preflight', { as: 'operator' })
      expect(await findJob(api.jobs.database, look.json.job_id)).toMatchObject({ pipeline: 'preflight' })
      for (const [method, path] of [
        ['GET', '/api/v1/clusters/nope'],
        ['GET', '/api/v1/clusters/nope/config'],
        ['DELETE', '/api/v1/clusters/nope'],
        ['POST', '/api/v1/clusters/nope/preflight'],
      ] as const)
        refused(await api.send(method, path), 404, 'KX_CLUSTER_UNKNOWN')
    }))

  it('gives out tokens, takes them back, and writes down who did what', () =>
    withApi(async (api) => {
      const made = await api.send('POST', '/api/v1/tokens', { body: { name: 'ci', role: 'operator', expires_in: '30d' } })
      expect(made.status).toBe(201)
      const asCi = { as: null, headers: { authorization: `Bearer ${made.json.token}` } }
      expect((await api.send('GET', '/api/v1/session', asCi)).json).toMatchObject({
        name: 'ci',
        role: 'operator',
        expires_at: expect.stringMatching(/^\d{4}-/),
      })
      expect((await api.send('GET', '/api/v1/tokens')).json.items).toHaveLength(4)
      expect(JSON.stringify((await api.send('GET', '/api/v1/tokens')).json)).not.toContain(made.json.token)
      expect((await api.send('DELETE', `/api/v1/tokens/${made.json.id}`)).status).toBe(204)
      refused(await api.send('DELETE', `/api/v1/tokens/${made.json.id}`), 404, 'KX_TOKEN_UNKNOWN')
      refused(await api.send('GET', '/api/v1/session', asCi), 401, 'KX_UNAUTHORIZED')
      refused(await api.send('POST', '/api/v1/tokens', { body: { name: 'ci', role: 'king' } }), 400, 'KX_REQUEST')
      refused(await api.send('POST', '/api/v1/tokens', { body: { name: 'ci', role: 'viewer', expires_in: 'soon' } }), 400, 'KX_REQUEST')
      await accepted(api)
      refused(await api.send('DELETE', '/api/v1/clusters/lab', { as: 'viewer' }), 403, 'KX_FORBIDDEN')
      const audit = await api.send('GET', '/api/v1/audit?limit=3')
      expect(audit.json.items).toMatchObject([
        { who: expect.stringMatching(/^the viewer/), action: 'delete cluster', outcome: 'refused (403)', origin: '127.0.0.1' },
        {
          who: expect.stringMatching(/^the operator/),
          action: 'create cluster',
          target: expect.stringMatching(/^lab \(job /),
          outcome: 'done',
        },
        { action: 'create token', outcome: 'refused (400)' },
      ])
      const older = await api.send('GET', `/api/v1/audit?after=${audit.json.next}`)
      expect(older.json.items.map(({ action }: { action: string }) => action)).toContain('revoke token')
      refused(await api.send('GET', '/api/v1/audit?after=x'), 400, 'KX_CURSOR')
    }))

  it('lets nobody in without a token, nor above their role', () =>
    withApi(async (api) => {
      const expired = await createToken(api.jobs.database, { name: 'old', role: 'admin', lifetime: 1 })
      const routes: readonly (readonly [string, string, 'viewer' | 'operator' | 'admin'])[] = [
        ['GET', '/api/v1/jobs', 'viewer'],
        ['GET', '/api/v1/jobs/abcdef', 'viewer'],
        ['GET', '/api/v1/jobs/abcdef/events', 'viewer'],
        ['GET', '/api/v1/jobs/abcdef/logs', 'viewer'],
        ['GET', '/api/v1/jobs/abcdef/graph', 'viewer'],
        ['GET', '/api/v1/clusters', 'viewer'],
        ['GET', '/api/v1/clusters/x', 'viewer'],
        ['GET', '/api/v1/clusters/x/config', 'viewer'],
        ['GET', '/api/v1/configs/schema', 'viewer'],
        ['POST', '/api/v1/configs/validate', 'viewer'],
        ['GET', '/api/v1/session', 'viewer'],
        ['GET', '/metrics', 'viewer'],
        ['POST', '/api/v1/clusters', 'operator'],
        ['DELETE', '/api/v1/clusters/x', 'operator'],
        ['POST', '/api/v1/clusters/x/preflight', 'operator'],
        ['POST', '/api/v1/jobs/abcdef/cancel', 'operator'],
        ['POST', '/api/v1/jobs/abcdef/resume', 'operator'],
        ['GET', '/api/v1/tokens', 'admin'],
        ['POST', '/api/v1/tokens', 'admin'],
        ['DELETE', '/api/v1/tokens/x', 'admin'],
        ['GET', '/api/v1/audit', 'admin'],
      ]
      const below = { viewer: [], operator: ['viewer'], admin: ['viewer', 'operator'] } as const
      for (const [method, path, role] of routes) {
        refused(await api.send(method, path, { as: null }), 401, 'KX_UNAUTHORIZED')
        for (const token of [expired.value, 'kxt_wrong', '', 'x y'])
          refused(await api.send(method, path, { as: null, headers: { authorization: `Bearer ${token}` } }), 401, 'KX_UNAUTHORIZED')
        for (const lower of below[role]) refused(await api.send(method, path, { as: lower }), 403, 'KX_FORBIDDEN')
      }
      // The document lists every route, and this list is complete.
      const document = await api.send('GET', '/openapi.json', { as: null })
      const described = Object.entries(document.json.paths as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      const open = ['GET /healthz', 'GET /readyz', 'POST /api/v1/session', 'DELETE /api/v1/session']
      const tested = routes.map(
        ([method, path]) =>
          `${method} ${path
            .replace(/\/abcdef\b/, '/{id}')
            .replace(/(clusters)\/x\b/, '$1/{name}')
            .replace(/(tokens)\/x\b/, '$1/{id}')}`,
      )
      expect(described.toSorted()).toEqual([...tested, ...open].toSorted())
      expect(document.json.openapi).toBe('3.1.0')
    }))

  it('signs browsers in with a cookie that no script reads and no other site can use', () =>
    withApi(async (api) => {
      refused(await api.send('POST', '/api/v1/session', { as: null, body: { token: 'kxt_wrong' } }), 401, 'KX_UNAUTHORIZED')
      const signed = await api.send('POST', '/api/v1/session', { as: null, body: { token: api.tokens.operator } })
      expect(signed.json).toEqual({ name: 'the operator', role: 'operator', expires_at: null })
      const cookie = signed.headers.get('set-cookie') ?? ''
      expect(cookie).toMatch(/^kubexm_session=.*; Path=\/; HttpOnly; SameSite=Strict$/)
      const held = { cookie: cookie.split(';')[0] ?? '' }
      expect((await api.send('GET', '/api/v1/session', { as: null, headers: held })).status).toBe(200)
      const body = portableConfig()
      const post = (headers: Record<string, string>) =>
        api.send('POST', '/api/v1/clusters?rehearse=true', { as: null, body, headers: { ...held, ...headers } })
      refused(await post({}), 403, 'KX_CROSS_ORIGIN')
      refused(await post({ 'sec-fetch-site': 'cross-site' }), 403, 'KX_CROSS_ORIGIN')
      refused(await post({ 'sec-fetch-site': 'same-site' }), 403, 'KX_CROSS_ORIGIN')
      refused(await post({ origin: 'https://evil.example' }), 403, 'KX_CROSS_ORIGIN')
      expect((await post({ origin: api.url })).status).toBe(202)
      expect((await post({ 'sec-fetch-site': 'same-origin' })).status).toBe(202)
      const out = await api.send('DELETE', '/api/v1/session', { as: null, headers: held })
      expect([out.status, out.headers.get('set-cookie')]).toEqual([
        204,
        expect.stringMatching(/^kubexm_session=;.*Expires=Thu, 01 Jan 1970/),
      ])
    }))
})
