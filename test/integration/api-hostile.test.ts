// A thousand requests of ill will: none gets a 5xx, none gets anything stored, and the server is well afterwards.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { countJobs, createToken, listTokens } from '../../src/store/index.ts'
import { withApi } from '../support/api.ts'
import { type HostileRequest, hostileRequest, notQuiteHttp, sendRaw } from '../support/hostile-requests.ts'

const count = 1000

it(
  `${count} hostile requests change nothing and break nothing`,
  () =>
    withApi(async (api) => {
      const expired = (await createToken(api.jobs.database, { name: 'old', role: 'admin', lifetime: 1 })).value
      const before = await listTokens(api.jobs.database)
      const seen = new Map<string, number>()
      const send = async ({ kind, method, path, headers, body }: HostileRequest): Promise<void> => {
        const response = await fetch(api.url + path, { method, headers, redirect: 'manual', ...(body === null ? {} : { body }) })
        await response.text()
        const key = `${kind} ${response.status}`
        seen.set(key, (seen.get(key) ?? 0) + 1)
        expect(response.status, `${kind}: ${method} ${path} ${body?.slice(0, 300)}`).toBeLessThan(500)
        // A body that happens to be a valid token request would be one; nothing else here may succeed in changing anything.
        if (method !== 'GET' && response.status < 300) expect(kind).toBe('an odd token request')
      }
      const requests = fc.sample(hostileRequest({ ...api.tokens, expired }), { numRuns: count, seed: 20_260_101 })
      for (let i = 0; i < requests.length; i += 10) {
        const batch = requests.slice(i, i + 10).filter(({ method }) => method !== 'TRACE')
        await Promise.all(batch.map(send))
      }
      for (const bytes of notQuiteHttp) {
        const status = await sendRaw(Number(new URL(api.url).port), bytes)
        expect(status === null || status < 500, bytes.slice(0, 80)).toBe(true)
      }
      process.stdout.write(
        `${[...seen]
          .map(([what, times]) => `${what}: ${times}`)
          .toSorted()
          .join('; ')}\n`,
      )
      expect([...seen.values()].reduce((sum, times) => sum + times, 0)).toBeGreaterThan(count * 0.95)
      expect(await countJobs(api.jobs.database)).toEqual([])
      expect(await listTokens(api.jobs.database)).toEqual(before)
      expect((await api.send('GET', '/readyz', { as: null })).status).toBe(200)
    }),
  300_000,
)
