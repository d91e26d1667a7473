import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { halfWay } from '../../test/support/sample-run.ts'
import { createMetrics, type Metrics, serveMetrics } from './metrics.ts'

async function metricsOf(options: Parameters<typeof createMetrics>[0] = {}): Promise<Metrics> {
  const metrics = await createMetrics(options)
  const run = halfWay(3)
    .end('etcd.install', 'etcd.start', 'Start etcd', 'node1', 'failed')
    .end('etcd.install', 'etcd.start', 'Start etcd', 'node2')
  run.end('etcd.install', 'etcd.config', 'Write etcd.service', 'node1', 'resumed').finish('failed')
  for (const event of [...run.events, ...halfWay(3).finish('success').events]) metrics.sink.accept(event)
  return metrics
}

/** The samples of the text format, by name and sorted labels. */
function samples(text: string): ReadonlyMap<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
      if (name === '') throw new Error(`not a sample: ${line}`)
      return [`${name}{${labels.split(',').sort().join(',')}}`, Number(value)]
    }),
  )
}

describe('createMetrics', () => {
  it('counts pipelines and times pipelines and steps', async () => {
    const figures = samples(await (await metricsOf()).text())
    expect(Object.fromEntries([...figures].filter(([name]) => !name.includes('_bucket')))).toEqual({
      'kubexm_pipeline_total{pipeline="create-cluster",status="failure"}': 1,
      'kubexm_pipeline_total{pipeline="create-cluster",status="success"}': 1,
      'kubexm_pipeline_duration_seconds_sum{pipeline="create-cluster"}': 74,
      'kubexm_pipeline_duration_seconds_count{pipeline="create-cluster"}': 2,
      'kubexm_step_duration_seconds_sum{status="satisfied",step="preflight.swap"}': 12,
      'kubexm_step_duration_seconds_count{status="satisfied",step="preflight.swap"}': 6,
      'kubexm_step_duration_seconds_sum{status="succeeded",step="etcd.upload"}': 120,
      'kubexm_step_duration_seconds_count{status="succeeded",step="etcd.upload"}': 4,
      'kubexm_step_duration_seconds_sum{status="satisfied",step="containerd.upload"}': 120,
      'kubexm_step_duration_seconds_count{status="satisfied",step="containerd.upload"}': 4,
      'kubexm_step_duration_seconds_sum{status="failed",step="etcd.start"}': 5,
      'kubexm_step_duration_seconds_count{status="failed",step="etcd.start"}': 1,
      'kubexm_step_duration_seconds_sum{status="succeeded",step="etcd.start"}': 5,
      'kubexm_step_duration_seconds_count{status="succeeded",step="etcd.start"}': 1,
    })
    expect(figures.get('kubexm_step_duration_seconds_bucket{le="5",status="failed",step="etcd.start"}')).toBe(1)
  })

  it('writes the textfile whole, leaving nothing else behind', async () => {
    const dir = await mkdtemp(path.join(tmpdir(), 'kubexm-metrics-'))
    const textfile = path.join(dir, 'kubexm.prom')
    const metrics = await metricsOf({ textfile })
    await metrics.sink.flush?.()
    expect(await readFile(textfile, 'utf8')).toBe(await metrics.text())
    expect(await readdir(dir)).toEqual(['kubexm.prom'])
  })

  it('says which textfile it cannot write', async () => {
    const metrics = await metricsOf({ textfile: '/nonexistent/kubexm.prom' })
    await expect(metrics.sink.flush?.()).rejects.toMatchObject({ code: 'KX_RECORD_WRITE', params: { file: '/nonexistent/kubexm.prom' } })
  })
})

describe('serveMetrics', () => {
  it('serves /metrics on loopback, and nothing else', async () => {
    const metrics = await metricsOf()
    await using server = await serveMetrics(metrics, 0)
    const answer = await fetch(`http://127.0.0.1:${server.port}/metrics`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toContain('text/plain')
    expect(samples(await answer.text()).size).toBeGreaterThan(10)
    expect((await fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(404)
    expect((await fetch(`http://127.0.0.1:${server.port}/metrics`, { method: 'POST' })).status).toBe(404)
  })

  it('says which port is taken', async () => {
    const metrics = await metricsOf()
    await using server = await serveMetrics(metrics, 0)
    await expect(serveMetrics(metrics, server.port)).rejects.toMatchObject({
      code: 'KX_METRICS_PORT',
      params: { address: `127.0.0.1:${server.port}` },
    })
  })
})
