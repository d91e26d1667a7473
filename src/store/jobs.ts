import { randomUUID } from 'node:crypto'
import { type Selectable, type SelectQueryBuilder, sql } from 'kysely'
import { fail } from '../error/index.ts'
import type { Json } from '../util/json.ts'
import type { Database } from './database.ts'
import type { JobStatus, JobTable, Tables } from './tables.ts'

/** A job as the rest of the program sees it. Its config is apart: see `configOf`. */
export interface Job {
  readonly id: string
  readonly cluster: string
  readonly pipeline: string
  readonly options: Json
  readonly status: JobStatus
  readonly currentStep: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly requestedBy: string
  /** Run by the process that recorded it, at somebody's terminal. */
  readonly foreground: boolean
  readonly worker: string | null
  readonly attempt: number
  readonly cancelRequested: boolean
  /** As `errorToJson` gives it. */
  readonly error: Json | null
}

export interface NewJob {
  readonly cluster: string
  readonly pipeline: string
  /** Literal secrets are sealed. */
  readonly config: string
  readonly options: Json
  readonly requestedBy: string
  /** Whether it changes real machines. */
  readonly changes: boolean
  /** A request that is sent again with the same key gives the same job; the hash tells whether it is the same request. */
  readonly idempotency?: { readonly key: string; readonly requestHash: string }
}

/** What is known of a job when it is recorded. */
export const recordOf = (job: NewJob) => ({
  id: randomUUID(),
  cluster: job.cluster,
  pipeline: job.pipeline,
  cluster_config_yaml: job.config,
  options: JSON.stringify(job.options),
  requested_by: job.requestedBy,
  changes: job.changes ? 1 : 0,
  idempotency_key: job.idempotency?.key ?? null,
  request_hash: job.idempotency?.requestHash ?? null,
})

/** Everything but the config, which may be large. */
export const jobColumns = [
  'id',
  'cluster',
  'pipeline',
  'options',
  'status',
  'current_step',
  'created_at',
  'updated_at',
  'started_at',
  'finished_at',
  'requested_by',
  'foreground',
  'worker',
  'attempt',
  'cancel_requested',
  'error',
] as const

/** Records a job for some worker to take. */
export async function submitJob({ query, now }: Database, job: NewJob): Promise<Job> {
  const row = await query
    .insertInto('jobs')
    .values({ ...recordOf(job), status: 'Pending', created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .returning(jobColumns)
    .executeTakeFirst()
  if (row !== undefined) return jobOf(row)
  const { key = '', requestHash = '' } = job.idempotency ?? {}
  const earlier = await query
    .selectFrom('jobs')
    .select([...jobColumns, 'request_hash'])
    .where('idempotency_key', '=', key)
    .executeTakeFirstOrThrow()
  if (earlier.request_hash !== requestHash) throw fail('KX_IDEMPOTENCY', { id: earlier.id })
  return jobOf(earlier)
}

/** A job, or an error that says how to find the right one. The first six or more characters of an id are enough if only one job has them. */
export async function findJob({ query }: Database, id: string): Promise<Job> {
  if (!/^[0-9a-f-]{6,36}$/i.test(id)) throw fail('KX_JOB_UNKNOWN', { id })
  const rows = await query.selectFrom('jobs').select(jobColumns).where('id', 'like', `${id.toLowerCase()}%`).limit(2).execute()
  const [row, second] = rows
  if (row === undefined) throw fail('KX_JOB_UNKNOWN', { id })
  if (second !== undefined) throw fail('KX_JOB_AMBIGUOUS', { id })
  return jobOf(row)
}

/** The config of a job, literal secrets sealed. */
export async function configOf({ query }: Database, id: string): Promise<string> {
  const row = await query.selectFrom('jobs').select('cluster_config_yaml').where('id', '=', id).executeTakeFirst()
  if (row === undefined) throw fail('KX_JOB_UNKNOWN', { id })
  return row.cluster_config_yaml
}

export interface JobFilter {
  readonly cluster?: string
  readonly status?: JobStatus
  readonly limit: number
  /** Where the page before ended: see `cursorOf`. */
  readonly after?: string
}

/** Names the place of a job in the list: those behind it are older. */
export const cursorOf = ({ createdAt, id }: Job): string => `${createdAt.getTime()}.${id}`

/** Jobs, newest first, a page at a time. */
export async function listJobs({ query }: Database, { cluster, status, limit, after }: JobFilter): Promise<readonly Job[]> {
  let rows = query.selectFrom('jobs').select(jobColumns).orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit)
  if (cluster !== undefined) rows = rows.where('cluster', '=', cluster)
  if (status !== undefined) rows = rows.where('status', '=', status)
  if (after !== undefined) rows = behind(rows, after)
  return (await rows.execute()).map(jobOf)
}

type JobRows<O> = SelectQueryBuilder<Tables, 'jobs', O>

function behind<O>(rows: JobRows<O>, cursor: string): JobRows<O> {
  const [, time, id] = /^(\d{1,15})\.([0-9a-f-]{1,36})$/.exec(cursor) ?? []
  if (time === undefined || id === undefined) throw fail('KX_CURSOR', { cursor: cursor.slice(0, 60) })
  return rows.where(sql<boolean>`(created_at, id) < (${sql.lit(Number(time))}, ${id})`)
}

/** The statuses of some jobs. */
export async function jobStatuses({ query }: Database, ids: readonly string[]): Promise<ReadonlyMap<string, JobStatus>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('jobs')
    .select(['id', 'status'])
    .where('id', 'in', [...ids])
    .execute()
  return new Map(rows.map(({ id, status }) => [id, status]))
}

/** How many jobs there are of each pipeline and status. */
export async function countJobs({ query }: Database) {
  const count = sql<number>`count(*)`.as('count')
  return query.selectFrom('jobs').select(['pipeline', 'status', count]).groupBy(['pipeline', 'status']).execute()
}

/** Asks for a job to be cancelled: one that waits is cancelled at once, a running one by its worker. */
export async function requestCancel(database: Database, id: string): Promise<Job> {
  const { query, now } = database
  const job = await findJob(database, id)
  const row = await query
    .updateTable('jobs')
    .set({
      cancel_requested: 1,
      updated_at: now,
      status: sql<JobStatus>`CASE WHEN status = 'Pending' THEN 'Cancelled' ELSE status END`,
      finished_at: sql<number>`CASE WHEN status = 'Pending' THEN ${now} ELSE finished_at END`,
    })
    .where('id', '=', job.id)
    .where('status', 'in', ['Pending', 'Processing'])
    .returning(jobColumns)
    .executeTakeFirst()
  if (row === undefined) throw fail('KX_JOB_STATE', { id: job.id, status: job.status, verb: 'cancelled' })
  return jobOf(row)
}

/** Lets a job that failed or was cancelled go on where it stopped; from now on it is one for workers. */
export async function requestResume(database: Database, id: string): Promise<Job> {
  const { query, now } = database
  const job = await findJob(database, id)
  const row = await query
    .updateTable('jobs')
    .set({ status: 'Pending', cancel_requested: 0, foreground: 0, updated_at: now, finished_at: null, error: null })
    .where('id', '=', job.id)
    .where('status', 'in', ['Failed', 'Cancelled'])
    .returning(jobColumns)
    .executeTakeFirst()
  if (row === undefined) throw fail('KX_JOB_STATE', { id: job.id, status: job.status, verb: 'resumed' })
  return jobOf(row)
}

const timeOf = (value: number | null): Date | null => (value === null ? null : new Date(value))

/** A row of the table as a job. */
export function jobOf(row: Pick<Selectable<JobTable>, (typeof jobColumns)[number]>): Job {
  return {
    id: row.id,
    cluster: row.cluster,
    pipeline: row.pipeline,
    options: JSON.parse(row.options) as Json,
    status: row.status,
    currentStep: row.current_step,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
    startedAt: timeOf(row.started_at),
    finishedAt: timeOf(row.finished_at),
    requestedBy: row.requested_by,
    foreground: row.foreground === 1,
    worker: row.worker,
    attempt: row.attempt,
    cancelRequested: row.cancel_requested === 1,
    error: row.error === null ? null : (JSON.parse(row.error) as Json),
  }
}
