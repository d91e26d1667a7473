import type { Sink } from '../event/index.ts'
import { createMetrics } from './metrics.ts'

/** The figures of a service: of the runs it made, of its jobs, and of the requests it answered. */
export interface ServiceMetrics {
  /** Told of the events of runs in this process. */
  readonly sink: Sink
  readonly contentType: string
  /** All figures in the text format of Prometheus. */
  text(): Promise<string>
  request(method: string, route: string, status: number, seconds: number): void
  /** How many streams of events are open. */
  streams(count: number): void
}

/** How many jobs there are of a pipeline in a status. */
interface JobCount {
  readonly pipeline: string
  readonly status: string
  readonly count: number
}

/** Makes the metrics of a service; jobs are counted when somebody asks. */
export async function createServiceMetrics(countJobs: () => Promise<readonly JobCount[]>): Promise<ServiceMetrics> {
  const { Counter, Gauge, Histogram, Registry } = (await import('prom-client')).default
  const runs = await createMetrics()
  const registry = new Registry()
  const registers = [registry]
  new Gauge({
    name: 'kubexm_jobs',
    help: 'Jobs in the job database',
    labelNames: ['pipeline', 'status'],
    registers,
    async collect() {
      const counts = await countJobs()
      this.reset()
      for (const { pipeline, status, count } of counts) this.set({ pipeline, status }, Number(count))
    },
  })
  const requests = new Counter({
    name: 'kubexm_http_requests_total',
    help: 'Requests answered',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const duration = new Histogram({
    name: 'kubexm_http_request_duration_seconds',
    help: 'How long requests took',
    labelNames: ['method', 'route'],
    buckets: [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5],
    registers,
  })
  const streams = new Gauge({ name: 'kubexm_event_streams', help: 'Open streams of events', registers })
  return {
    sink: runs.sink,
    contentType: registry.contentType,
    text: async () => `${await runs.text()}\n${await registry.metrics()}`,
    request: (method, route, status, seconds) => {
      requests.inc({ method, route, status: String(status) })
      duration.observe({ method, route }, seconds)
    },
    streams: (count) => streams.set(count),
  }
}
