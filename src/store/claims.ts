import { type Selectable, sql } from 'kysely'
import { fail } from '../error/index.ts'
import type { Json } from '../util/json.ts'
import type { Millis } from '../util/time.ts'
import type { Database } from './database.ts'
import { type Job, jobOf } from './jobs.ts'
import type { JobStatus, JobTable } from './tables.ts'

/** The right to run a job, until the lease ends or is taken away. */
export interface Claim {
  readonly job: Job
  /** Literal secrets are sealed. */
  readonly config: string
  readonly fence: number
  /** The number of the next event. */
  readonly nextSeq: number
}

/** Who wants a job, and which. */
export interface Claimant {
  readonly worker: string
  /** The identity of the process: see `processIdentity`. */
  readonly process: string
  /** The work directory of the worker. */
  readonly home: string
  readonly lease: Millis
  /** Also jobs of clusters whose work directory is another one: for when that is lost. */
  readonly adopt?: boolean
  /** Only this job. */
  readonly only?: string
}

/**
 * Takes a job whose worker has gone silent, or else the oldest that waits; null when there is none. One statement: no two workers get
 * the same job, none gets a job of a cluster on which another is at work, and those of a cluster come in the order they were asked for.
 */
export async function claimJob(database: Database, claimant: Claimant): Promise<Claim | null> {
  const { query, now } = database
  const { worker, process, home, lease } = claimant
  try {
    const { rows } = await sql<Selectable<JobTable>>`
      UPDATE jobs SET
        status = 'Processing', worker = ${worker}, process = ${process}, home = CASE WHEN changes = 1 THEN ${home} END, lease_until = ${now} + ${sql.lit(lease)}, updated_at = ${now},
        started_at = coalesce(started_at, ${now}), attempt = attempt + 1, fence = ${nextFence(sql`jobs.cluster`)}
      WHERE id = coalesce((${silentJob(database, claimant)}), (${waitingJob(database, claimant)}))
      RETURNING *`.execute(query)
    const [row] = rows
    return row === undefined ? null : await claimOf(database, row)
  } catch (error) {
    // A job of the same cluster was begun at the same moment: the next look finds what is left.
    if (isConflict(error)) return null
    throw error
  }
}

/** A job whose worker has not renewed its claim: half of its work is done, so it comes before those not begun. */
const silentJob = ({ now, skipLocked }: Database, claimant: Claimant) => sql`
  SELECT id FROM jobs job WHERE status = 'Processing' AND lease_until < ${now} ${theOne(claimant)}
    AND CASE WHEN ${notForWorkers(claimant)} THEN false ELSE ${reachable(claimant)} END
  ORDER BY lease_until LIMIT 1 ${skipLocked}`

/**
 * The oldest job that waits. What else is asked of it stands in a CASE, which is answered one job after the other in the order of the
 * index until one fits: asked in any other way, a database without statistics puts all jobs that wait in order first.
 */
const waitingJob = ({ skipLocked }: Database, claimant: Claimant) => sql`
  SELECT id FROM jobs job WHERE status = 'Pending' ${theOne(claimant)}
    AND CASE WHEN ${notForWorkers(claimant)} THEN false
      WHEN (SELECT busy.id FROM jobs busy WHERE busy.cluster = job.cluster AND busy.status = 'Processing') IS NOT NULL THEN false
      ${claimant.only === undefined ? olderFirst : sql``}
      ELSE ${reachable(claimant)} END
  ORDER BY created_at, id LIMIT 1 ${skipLocked}`

/** Whoever comes second to a cluster does not overtake the first, not even in the moment in which that one is being claimed. */
const olderFirst = sql`WHEN EXISTS (SELECT 1 FROM jobs older WHERE older.cluster = job.cluster AND older.status = 'Pending'
        AND (older.created_at, older.id) < (job.created_at, job.id)) THEN false`

const theOne = ({ only }: Claimant) => (only === undefined ? sql`` : sql`AND id = ${only}`)

const notForWorkers = ({ only }: Claimant) => (only === undefined ? sql`foreground = 1` : sql`false`)

/** What a job builds on (journal, certificates) lies in the directory where the cluster was last worked on. */
const reachable = ({ adopt = false, home }: Claimant) =>
  adopt
    ? sql`true`
    : sql`changes = 0 OR coalesce((SELECT last.home FROM jobs last WHERE last.cluster = job.cluster AND last.home IS NOT NULL
        ORDER BY last.fence DESC LIMIT 1), ${home}) = ${home}`

/** Higher than that of every claim of this cluster before. */
export const nextFence = (cluster: ReturnType<typeof sql>) =>
  sql<number>`(SELECT coalesce(max(other.fence), 0) + 1 FROM jobs other WHERE other.cluster = ${cluster})`

/** From the claim on nobody else can add events: only now is the last number sure. */
export async function claimOf({ query }: Database, row: Selectable<JobTable>): Promise<Claim> {
  const base = { job: jobOf(row), config: row.cluster_config_yaml, fence: row.fence }
  if (row.attempt === 1) return { ...base, nextSeq: 1 }
  const { last } = await query
    .selectFrom('job_events')
    .select(sql<number>`coalesce(max(seq), 0)`.as('last'))
    .where('job_id', '=', row.id)
    .executeTakeFirstOrThrow()
  return { ...base, nextSeq: last + 1 }
}

/** Whether a statement was refused because of what another one put there. */
export const isConflict = (error: unknown): boolean =>
  (error as { readonly code?: unknown }).code === '23505' || /UNIQUE constraint failed/.test((error as Error).message)

/** How a claim stands: whether it is still one, and whether somebody wants the job cancelled. */
export interface Standing {
  readonly held: boolean
  readonly cancel: boolean
}

/** Keeps a job for another span of time; `held` is false when another worker has it now. */
export async function renewLease({ query, now }: Database, { job, fence }: Claim, lease: Millis): Promise<Standing> {
  const row = await query
    .updateTable('jobs')
    .set({ lease_until: sql<number>`${now} + ${sql.lit(lease)}` })
    .where('id', '=', job.id)
    .where('fence', '=', fence)
    .where('status', '=', 'Processing')
    .returning('cancel_requested')
    .executeTakeFirst()
  return { held: row !== undefined, cancel: row?.cancel_requested === 1 }
}

/** How a claim stands, without renewing it. */
export async function standingOf({ query }: Database, { job, fence }: Claim): Promise<Standing> {
  const row = await query.selectFrom('jobs').select(['fence', 'status', 'cancel_requested']).where('id', '=', job.id).executeTakeFirst()
  const held = row !== undefined && row.fence === fence && row.status === 'Processing'
  return { held, cancel: held && row.cancel_requested === 1 }
}

/** How a job ends; `Pending` hands it back to be taken by another worker. */
export interface JobEnd {
  readonly status: Exclude<JobStatus, 'Processing'>
  readonly error?: Json
  /** The cluster is gone, and with it what its work directory was needed for. */
  readonly leavesHome?: boolean
}

/** Ends a job or hands it back; refused when another worker has it. One that is handed back though it should be cancelled is cancelled. */
export async function endJob({ query, now }: Database, { job, fence }: Claim, end: JobEnd): Promise<void> {
  const status = end.status === 'Pending' ? sql<JobStatus>`CASE WHEN cancel_requested = 1 THEN 'Cancelled' ELSE 'Pending' END` : end.status
  const row = await query
    .updateTable('jobs')
    .set({
      status,
      ...(end.status === 'Pending' ? { worker: null } : {}),
      lease_until: null,
      updated_at: now,
      current_step: null,
      finished_at: end.status === 'Pending' ? sql<number>`CASE WHEN cancel_requested = 1 THEN ${now} END` : now,
      error: end.error === undefined ? null : JSON.stringify(end.error),
    })
    .where('id', '=', job.id)
    .where('fence', '=', fence)
    .where('status', '=', 'Processing')
    .returning('cluster')
    .executeTakeFirst()
  if (row === undefined) throw fail('KX_JOB_LOST', { id: job.id })
  if (end.leavesHome === true) await query.updateTable('jobs').set({ home: null }).where('cluster', '=', row.cluster).execute()
}
