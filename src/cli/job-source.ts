import {
  clusterSummary,
  cursorOf,
  endDeadForeground,
  findJob,
  followJob,
  type JobJson,
  type Jobs,
  jobToJson,
  listClusters,
  listJobs,
  openJobs,
  requestCancel,
  requestResume,
} from '../app/jobs/index.ts'
import type { Language } from '../error/index.ts'
import { eventFromJson, type RunEvent } from '../event/index.ts'
import type { Json } from '../util/json.ts'
import type { JobPlace } from './job-options.ts'
import { serverClient } from './server-client.ts'

/** Which jobs are wanted. */
interface Wanted {
  readonly cluster?: string
  readonly status?: JobJson['status']
  readonly limit: number
}

/** A cluster at a glance, as the API gives it. */
export interface ClusterJson {
  readonly name: string
  readonly kubernetes_version: string | null
  readonly hosts: number
  readonly state: string
  readonly last_job: JobJson
}

/** Where jobs are looked at: in a job database, or at an API server. */
export interface JobSource extends AsyncDisposable {
  list(wanted: Wanted): Promise<{ readonly items: readonly JobJson[]; readonly next: string | null }>
  get(id: string): Promise<JobJson>
  clusters(limit: number): Promise<readonly ClusterJson[]>
  events(id: string, options: { readonly follow: boolean; readonly signal?: AbortSignal }): AsyncIterable<RunEvent>
  cancel(id: string): Promise<JobJson>
  /** Leaves a job that stopped to a worker, to continue it. */
  resume(id: string): Promise<JobJson>
}

/** The jobs of the server that is named, or else of the job database. */
export async function jobSource({ directory, server, language }: JobPlace): Promise<JobSource> {
  return server === undefined ? localJobs(await openJobs({ directory }), language === 'zh' ? 'zh' : 'en') : remoteJobs(server)
}

function localJobs(jobs: Jobs, language: Language): JobSource {
  const { database } = jobs
  return {
    list: async (wanted) => {
      await endDeadForeground(database)
      const found = await listJobs(database, wanted)
      const last = found.at(-1)
      return {
        items: found.map((job) => jobToJson(job, language)),
        next: last === undefined || found.length < wanted.limit ? null : cursorOf(last),
      }
    },
    get: async (id) => {
      await endDeadForeground(database)
      return jobToJson(await findJob(database, id), language)
    },
    clusters: async (limit) =>
      Promise.all(
        (await listClusters(database, { limit })).map(async (record) => {
          const { name, kubernetesVersion, hosts, state, lastJob } = await clusterSummary(jobs, record)
          return { name, kubernetes_version: kubernetesVersion, hosts, state, last_job: jobToJson(lastJob, language) }
        }),
      ),
    events: async function* (id, { follow, signal }) {
      const job = await findJob(database, id)
      for await (const { json } of followJob(database, job.id, { follow, ...(signal === undefined ? {} : { signal }) }))
        yield eventFromJson(JSON.parse(json) as { readonly [key: string]: Json })
    },
    cancel: async (id) => jobToJson(await requestCancel(database, id), language),
    resume: async (id) => jobToJson(await requestResume(database, id), language),
    [Symbol.asyncDispose]: () => jobs[Symbol.asyncDispose](),
  }
}

function remoteJobs(server: string): JobSource {
  const client = serverClient(server)
  const path = (id: string, rest = ''): string => `/api/v1/jobs/${encodeURIComponent(id)}${rest}`
  const job = async (method: string, where: string): Promise<JobJson> => (await client.send(method, where)) as unknown as JobJson
  return {
    list: async ({ cluster, status, limit }) => {
      const query = new URLSearchParams({ limit: String(Math.min(limit, 200)) })
      if (cluster !== undefined) query.set('cluster', cluster)
      if (status !== undefined) query.set('status', status)
      return (await client.send('GET', `/api/v1/jobs?${query}`)) as unknown as {
        readonly items: readonly JobJson[]
        readonly next: string | null
      }
    },
    get: (id) => job('GET', path(id)),
    clusters: async (limit) =>
      (await client.send('GET', `/api/v1/clusters?limit=${Math.min(limit, 200)}`)).items as unknown as readonly ClusterJson[],
    events: async function* (id, { follow, signal }) {
      if (follow) return yield* client.events(id, signal === undefined ? {} : { signal })
      for (let after = '0'; ; ) {
        const query = new URLSearchParams({ after, limit: '200' })
        const page = await client.send('GET', `${path(id, '/events')}?${query}`, { headers: { accept: 'application/json' } })
        for (const { event } of page.items as readonly { readonly event: { readonly [key: string]: Json } }[]) yield eventFromJson(event)
        if (page.next === null) return
        after = String(page.next)
      }
    },
    cancel: (id) => job('POST', path(id, '/cancel')),
    resume: (id) => job('POST', path(id, '/resume')),
    [Symbol.asyncDispose]: async () => {},
  }
}
