import { randomBytes } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { fail } from '../error/index.ts'
import type { Outcome, RunEvent, Sink } from '../event/index.ts'

/** The figures of the runs this process has seen. */
export interface Metrics {
  /** Keeps the figures; its flush writes the textfile, where one was asked for. */
  readonly sink: Sink
  readonly contentType: string
  /** All figures in the text format of Prometheus. */
  text(): Promise<string>
}

// A step that finds nothing to do takes milliseconds, one that pulls images minutes.
const stepBuckets = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600]
const pipelineBuckets = [1, 10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200]

const statusOf: Readonly<Record<Outcome, string>> = { success: 'success', failed: 'failure', cancelled: 'cancelled' }

/** Makes the metrics. The library is loaded only now: it must not slow down commands that have no use for it. */
export async function createMetrics(options: { readonly textfile?: string } = {}): Promise<Metrics> {
  const { Counter, Histogram, Registry } = (await import('prom-client')).default
  const registry = new Registry()
  const registers = [registry]
  const pipelines = new Counter({
    name: 'kubexm_pipeline_total',
    help: 'Pipelines that have ended',
    labelNames: ['pipeline', 'status'],
    registers,
  })
  const pipelineSeconds = new Histogram({
    name: 'kubexm_pipeline_duration_seconds',
    help: 'How long pipelines took',
    labelNames: ['pipeline'],
    buckets: pipelineBuckets,
    registers,
  })
  const stepSeconds = new Histogram({
    name: 'kubexm_step_duration_seconds',
    help: 'How long steps took on a host',
    labelNames: ['step', 'status'],
    buckets: stepBuckets,
    registers,
  })
  const accept = (event: RunEvent): void => {
    if (event.type === 'pipeline.finished') {
      pipelines.inc({ pipeline: event.pipeline, status: statusOf[event.outcome] })
      pipelineSeconds.observe({ pipeline: event.pipeline }, event.ms / 1000)
    } else if (event.type === 'step.finished' && event.step !== undefined && event.outcome !== 'resumed') {
      stepSeconds.observe({ step: event.step, status: event.outcome }, event.ms / 1000)
    }
  }
  const text = (): Promise<string> => registry.metrics()
  const { textfile } = options
  const flush = textfile === undefined ? {} : { flush: async () => replaceFile(textfile, await text()) }
  return { sink: { name: 'the metrics', accept, ...flush }, contentType: registry.contentType, text }
}

/** Serves `/metrics` until disposed; on loopback unless told otherwise, as there is no authentication. */
export async function serveMetrics(
  metrics: Metrics,
  port: number,
  host = '127.0.0.1',
): Promise<AsyncDisposable & { readonly port: number }> {
  const { createServer } = await import('node:http')
  const server = createServer((request, response) => {
    if (request.url !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    metrics.text().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(fail('KX_METRICS_PORT', { address: `${host}:${port}`, why: cause.message }, { cause })))
    server.listen(port, host, resolve)
  })
  // Being asked for figures is no reason for the process to stay.
  server.unref()
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A reader of the file sees the old figures or the new ones, never half of them. */
async function replaceFile(file: string, content: string): Promise<void> {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    await writeFile(temporary, content, { mode: 0o644 })
    await rename(temporary, file)
  } catch (cause) {
    await rm(temporary, { force: true })
    throw fail('KX_RECORD_WRITE', { file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}
