// What the API keeps a record of: lists that are read page by page, and who changed what.
import { describe, expect, it } from 'vitest'
import { type Answer, portableConfig, type TestApi, withApi } from '../support/api.ts'

/** All items of a list, so many at a time. */
async function paged(api: TestApi, path: string, limit: number): Promise<readonly { readonly [key: string]: unknown }[]> {
  const items: { readonly [key: string]: unknown }[] = []
  for (let after: string | null = ''; after !== null; ) {
    const { status, json }: Answer = await api.send('GET', `${path}?limit=${limit}${after === '' ? '' : `&after=${after}`}`)
    expect([status, json.items.length <= limit]).toEqual([200, true])
    items.push(...json.items)
    after = json.next
  }
  return items
}

const submit = async (api: TestApi, name: string): Promise<string> =>
  (await api.send('POST', '/api/v1/clusters?rehearse=true', { body: portableConfig(name) })).json.job_id

describe('lists', () => {
  it('give every item once, whatever the size of the page', () =>
    withApi(async (api) => {
      const names = ['e', 'b', 'd', 'a', 'c', 'a', 'b']
      for (const name of names) await submit(api, name)
      for (const limit of [1, 2, 3, 5, 7, 50]) {
        expect((await paged(api, '/api/v1/clusters', limit)).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd', 'e'])
        expect((await paged(api, '/api/v1/jobs', limit)).map(({ cluster }) => cluster)).toEqual(names.toReversed())
        expect(await paged(api, '/api/v1/audit', limit)).toHaveLength(names.length)
      }
    }))
})

/** Every request that changes something, in an order in which each can be done. */
const changes = (
  job: string,
  token: string,
): readonly (readonly [route: string, path: string, audited: string, target: RegExp, body?: object])[] => [
  ['POST /api/v1/clusters/{name}/preflight', '/api/v1/clusters/lab/preflight', 'preflight', /^lab \(job [0-9a-f-]{36}\)$/],
  ['DELETE /api/v1/clusters/{name}', '/api/v1/clusters/lab', 'delete cluster', /^lab \(job [0-9a-f-]{36}\)$/],
  ['POST /api/v1/jobs/{id}/cancel', `/api/v1/jobs/${job}/cancel`, 'cancel job', new RegExp(job)],
  ['POST /api/v1/jobs/{id}/resume', `/api/v1/jobs/${job}/resume`, 'resume job', new RegExp(job)],
  ['POST /api/v1/tokens', '/api/v1/tokens', 'create token', /^ci \([0-9a-f-]{36}, viewer\)$/, { name: 'ci', role: 'viewer' }],
  ['DELETE /api/v1/tokens/{id}', `/api/v1/tokens/${token}`, 'revoke token', new RegExp(token)],
]

describe('the audit log', () => {
  it('has an entry for every change: who, what, when, from where, and what came of it', () =>
    withApi(async (api) => {
      const job = await submit(api, 'lab')
      const made = await api.send('POST', '/api/v1/tokens', { body: { name: 'old', role: 'viewer' } })
      const all = changes(job, made.json.id)
      const newest = async () => (await api.send('GET', '/api/v1/audit?limit=1')).json.items[0]
      for (const [route, path, action, target, body] of all) {
        const [method = ''] = route.split(' ')
        // Refused first, to one who may not; then done.
        await api.send(method, path, { as: 'viewer', ...(body === undefined ? {} : { body }) })
        expect(await newest()).toMatchObject({ who: expect.stringMatching(/^the viewer/), action, outcome: 'refused (403)' })
        const before = Date.now()
        const answer = await api.send(method, path, body === undefined ? {} : { body })
        expect([route, answer.status < 300]).toEqual([route, true])
        const entry = await newest()
        expect(entry).toMatchObject({
          who: expect.stringMatching(/^the admin \([0-9a-f]{8}\)$/),
          action,
          target: expect.stringMatching(target),
          origin: '127.0.0.1',
          outcome: 'done',
        })
        expect(Math.abs(Date.parse(entry.at) - before)).toBeLessThan(10_000)
      }
      // The list above is complete: of all routes only these change something.
      const { paths } = (await api.send('GET', '/openapi.json')).json as { paths: Record<string, object> }
      const routes = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
      )
      const own = ['POST /api/v1/session', 'DELETE /api/v1/session', 'POST /api/v1/configs/validate', 'POST /api/v1/clusters']
      expect(routes.filter((route) => !route.startsWith('GET ')).toSorted()).toEqual([...all.map(([route]) => route), ...own].toSorted())
      expect((await paged(api, '/api/v1/audit', 50)).map(({ action }) => action)).toContain('create cluster')
    }))
})
