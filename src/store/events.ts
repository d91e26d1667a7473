import { sql } from 'kysely'
import { fail } from '../error/index.ts'
import type { Claim } from './claims.ts'
import type { Database } from './database.ts'

/** An event of a job as it is kept: `json` is what `eventToJson` gives, already redacted. */
export interface StoredEvent {
  readonly seq: number
  readonly at: Date
  readonly type: string
  readonly json: string
}

/** As many as one statement can hold in either database. */
export const mostEventsAtOnce = 1000

/** Adds events to a job, in order; refused when another worker has the job. */
export async function appendEvents(
  { query, now }: Database,
  { job, fence }: Claim,
  events: readonly StoredEvent[],
  currentStep: string | null,
): Promise<void> {
  await query.transaction().execute(async (transaction) => {
    // The row of the job is the lock: from here to the end of the transaction nobody can take the job over.
    const held = await transaction
      .updateTable('jobs')
      .set({ updated_at: now, ...(currentStep === null ? {} : { current_step: currentStep }) })
      .where('id', '=', job.id)
      .where('fence', '=', fence)
      .where('status', '=', 'Processing')
      .returning('id')
      .executeTakeFirst()
    if (held === undefined) throw fail('KX_JOB_LOST', { id: job.id })
    if (events.length === 0) return
    await transaction
      .insertInto('job_events')
      .values(events.map(({ seq, at, type, json }) => ({ job_id: job.id, seq, at: at.getTime(), type, event: json })))
      // Written before, by this same worker, when the answer did not arrive.
      .onConflict((conflict) => conflict.columns(['job_id', 'seq']).doNothing())
      .execute()
  })
}

/** The events of a job after a number, in order. */
export async function readEvents({ query }: Database, id: string, after: number, limit: number): Promise<readonly StoredEvent[]> {
  const rows = await query
    .selectFrom('job_events')
    .select(['seq', 'at', 'type', 'event'])
    .where('job_id', '=', id)
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
  return rows.map(({ seq, at, type, event }) => ({ seq, at: new Date(at), type, json: event }))
}

/** The number of the last event of each of these jobs: one cheap look for all who follow them. */
export async function lastEvents({ query }: Database, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await query
    .selectFrom('job_events')
    .select(['job_id', sql<number>`max(seq)`.as('last')])
    .where('job_id', 'in', [...ids])
    .groupBy('job_id')
    .execute()
  return new Map(rows.map(({ job_id, last }) => [job_id, last]))
}

/** The events of some types of a job, in order, and the number of its last event of any type: those after it are not among them. */
export async function readEventsOf(
  { query }: Database,
  id: string,
  types: readonly string[],
): Promise<{ readonly events: readonly StoredEvent[]; readonly last: number }> {
  const { last } = await query
    .selectFrom('job_events')
    .select(sql<number>`coalesce(max(seq), 0)`.as('last'))
    .where('job_id', '=', id)
    .executeTakeFirstOrThrow()
  const rows = await query
    .selectFrom('job_events')
    .select(['seq', 'at', 'type', 'event'])
    .where('job_id', '=', id)
    .where('seq', '<=', last)
    .where('type', 'in', [...types])
    .orderBy('seq')
    .execute()
  return { events: rows.map(({ seq, at, type, event }) => ({ seq, at: new Date(at), type, json: event })), last }
}
