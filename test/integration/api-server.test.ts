// The API server itself: where it listens, what it bears, what it measures.
import { request } from 'node:https'
import { describe, expect, it } from 'vitest'
import { startServer } from '../../src/api/index.ts'
import { openJobs } from '../../src/app/jobs/index.ts'
import { createServiceMetrics } from '../../src/sink/index.ts'
import { countJobs, createToken } from '../../src/store/index.ts'
import { portableConfig, withApi } from '../support/api.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { isDone, startWorker, submit, until } from '../support/job-runs.ts'
import { selfSigned } from '../support/openssl.ts'
import { startPostgres } from '../support/postgres.ts'
import { parsePrometheus } from '../support/prometheus.ts'

describe('the API server', () => {
  it('listens on loopback only, unless it has TLS and a token', () =>
    inTemporaryDirectory(async (directory) => {
      await using jobs = await openJobs({ directory, env: {} })
      const options = {
        jobs,
        metrics: await createServiceMetrics(() => countJobs(jobs.database)),
        rateLimit: 1000,
        trustConfigs: false,
        console: null,
        log: null,
      }
      const { certificate: tlsCert, key: tlsKey } = selfSigned(directory)
      const tls = { tlsCert, tlsKey }
      for (const listen of ['0.0.0.0:0', '[::]:0', ':0', '203.0.113.7:0', 'example.com:0'])
        await expect(startServer({ ...options, listen })).rejects.toMatchObject({ code: 'KX_PUBLIC_ADDRESS', exitCode: 2 })
      await expect(startServer({ ...options, ...tls, listen: '0.0.0.0:0' })).rejects.toMatchObject({
        code: 'KX_PUBLIC_ADDRESS',
        params: { why: 'there is no token' },
      })
      for (const listen of ['', '127.0.0.1', '127.0.0.1:99999', 'x:y'])
        await expect(startServer({ ...options, listen })).rejects.toMatchObject({ code: 'KX_USAGE' })
      await expect(startServer({ ...options, listen: '127.0.0.1:0', tlsCert })).rejects.toMatchObject({ code: 'KX_USAGE' })
      await expect(startServer({ ...options, listen: '127.0.0.1:0', tlsCert: '/nowhere', tlsKey: '/nowhere' })).rejects.toMatchObject({
        code: 'KX_LISTEN',
      })

      const { value } = await createToken(jobs.database, { name: 'x', role: 'viewer', lifetime: null })
      await using server = await startServer({ ...options, ...tls, listen: '0.0.0.0:0' })
      const answer = await new Promise<{ status?: number; hsts?: string; cookie?: string }>((resolve, reject) => {
        const sent = request(
          {
            host: '127.0.0.1',
            port: server.port,
            path: '/api/v1/session',
            method: 'POST',
            rejectUnauthorized: false,
            headers: { 'content-type': 'application/json' },
          },
          (response) => {
            response.resume()
            const { 'strict-transport-security': hsts, 'set-cookie': cookies } = response.headers
            resolve({
              ...(response.statusCode === undefined ? {} : { status: response.statusCode }),
              ...(hsts === undefined ? {} : { hsts }),
              cookie: cookies?.[0] ?? '',
            })
          },
        )
        sent.on('error', reject)
        sent.end(JSON.stringify({ token: value }))
      })
      expect(answer).toMatchObject({ status: 200, hsts: expect.stringContaining('max-age'), cookie: expect.stringContaining('Secure') })
      await expect(startServer({ ...options, listen: `127.0.0.1:${server.port}` })).rejects.toMatchObject({
        code: 'KX_LISTEN',
        exitCode: 11,
      })
    }))

  it('bears only so many requests and so large ones', async () => {
    await withApi(
      async (api) => {
        for (let i = 0; i < 5; i++) expect((await api.send('GET', '/healthz')).status).toBe(200)
        const answer = await api.send('GET', '/healthz')
        expect([answer.status, answer.json.code]).toEqual([429, 'KX_RATE'])
        expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0)
      },
      { rateLimit: 5 },
    )
    await withApi(async (api) => {
      const large = await api.send('POST', '/api/v1/clusters', { body: `${portableConfig()}# ${'x'.repeat(2 * 1024 * 1024)}` })
      expect([large.status, large.json.code]).toEqual([413, 'KX_TOO_LARGE'])
      const token = await api.send('POST', '/api/v1/tokens', { body: { name: 'x'.repeat(100_000), role: 'viewer' } })
      expect([token.status, token.json.code]).toEqual([413, 'KX_TOO_LARGE'])
      const other = await api.send('POST', '/api/v1/clusters', { body: 'x', type: 'image/png' })
      expect([other.status, other.json.code]).toEqual([415, 'KX_MEDIA_TYPE'])
      expect((await api.send('GET', '/nowhere')).json.code).toBe('KX_ROUTE_UNKNOWN')
    })
  })

  it('keeps browsers safe', () =>
    withApi(async (api) => {
      const { headers } = await api.send('GET', '/healthz', { as: null })
      expect(headers.get('content-security-policy')).toContain("default-src 'self'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('x-frame-options')).toBe('SAMEORIGIN')
    }))

  it('gives figures that a scraper reads, with the names that are promised', () =>
    withApi(async (api) => {
      const metrics = await createServiceMetrics(() => countJobs(api.jobs.database))
      await using _ = startWorker(api.jobs, { sinks: [metrics.sink] })
      const { id } = await submit(api.jobs)
      await until(api.jobs, id, isDone)
      const runs = parsePrometheus(await metrics.text())
      const value = (name: string, labels: Record<string, string>) =>
        runs.samples.find(
          (sample) => sample.name === name && Object.entries(labels).every(([key, wanted]) => sample.labels[key] === wanted),
        )?.value
      expect(value('kubexm_pipeline_total', { pipeline: 'create-cluster', status: 'success' })).toBe(1)
      expect(value('kubexm_pipeline_duration_seconds_count', { pipeline: 'create-cluster' })).toBe(1)
      expect(value('kubexm_jobs', { pipeline: 'create-cluster', status: 'Success' })).toBe(1)
      expect(runs.samples.filter(({ name }) => name === 'kubexm_step_duration_seconds_count').length).toBeGreaterThan(5)
      // The names and labels of the specification, each of its kind; steps also say how they ended.
      const labels = (name: string) => new Set(runs.samples.filter((one) => one.name === name).map((one) => Object.keys(one.labels).join()))
      expect(
        ['kubexm_pipeline_total', 'kubexm_pipeline_duration_seconds', 'kubexm_step_duration_seconds'].map((name) => runs.types.get(name)),
      ).toEqual(['counter', 'histogram', 'histogram'])
      expect(labels('kubexm_pipeline_total')).toEqual(new Set(['pipeline,status']))
      expect(labels('kubexm_pipeline_duration_seconds_count')).toEqual(new Set(['pipeline']))
      expect(labels('kubexm_step_duration_seconds_count')).toEqual(new Set(['step,status']))
      const served = parsePrometheus((await api.send('GET', '/metrics', { as: 'viewer' })).text)
      expect(served.types.get('kubexm_http_requests_total')).toBe('counter')
      expect((await api.send('GET', '/metrics')).headers.get('content-type')).toContain('text/plain')
    }))

  it('says when its database is away, and goes on when it is back', async () => {
    await using postgres = await startPostgres()
    const env = { KUBEXM_DATABASE_URL: await postgres.database(), KUBEXM_SEALING_KEY: '42'.repeat(32) }
    await withApi(
      async (api) => {
        expect((await api.send('GET', '/readyz', { as: null })).status).toBe(200)
        await postgres.stop()
        expect((await api.send('GET', '/readyz', { as: null })).status).toBe(503)
        expect((await api.send('GET', '/healthz', { as: null })).status).toBe(200)
        const answer = await api.send('GET', '/api/v1/jobs')
        expect([answer.status, answer.json.code]).toEqual([503, 'KX_STORE_UNAVAILABLE'])
        await postgres.start()
        expect((await api.send('GET', '/api/v1/jobs')).status).toBe(200)
      },
      {},
      env,
    )
  }, 300_000)
})
