import { type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { fail } from '../error/index.ts'
import { errorToJson } from '../event/index.ts'
import { isGone } from '../util/process-identity.ts'
import { type Claim, type Claimant, claimOf, isConflict, nextFence } from './claims.ts'
import type { Database } from './database.ts'
import { type NewJob, recordOf } from './jobs.ts'
import type { JobTable, Tables } from './tables.ts'

/** A job that was begun at a terminal, and whether it follows one whose process has died. */
export interface ForegroundClaim extends Claim {
  readonly takesOver: boolean
}

/**
 * Records a job and claims it at once, for the process that asks for it. With `resume` the last job of the same kind goes on, if it
 * did not succeed. Refused while another job is at work on the cluster; one whose process has died is ended first.
 */
export async function startForeground(
  database: Database,
  job: NewJob,
  claimant: Claimant,
  options: { readonly resume: boolean },
): Promise<ForegroundClaim> {
  const gone = await goneAtWork(database, job.cluster)
  try {
    const { row, takesOver } = await database.query.transaction().execute(async (transaction) => {
      const dead = await endDead(database, transaction, gone, job.cluster)
      const again = options.resume ? await reopened(database, transaction, job, claimant) : undefined
      return { row: again ?? (await begun(database, transaction, job, claimant)), takesOver: dead > 0 || again !== undefined }
    })
    return { ...(await claimOf(database, row)), takesOver }
  } catch (error) {
    if (isConflict(error)) throw await lockedBy(database, job.cluster)
    throw error
  }
}

const claimed = ({ now }: Database, { worker, process, home, lease }: Claimant, { cluster, changes }: NewJob) => ({
  status: 'Processing' as const,
  foreground: 1,
  worker,
  process,
  home: changes ? home : null,
  lease_until: sql<number>`${now} + ${sql.lit(lease)}`,
  updated_at: now,
  fence: nextFence(sql`${cluster}`),
})

function begun(database: Database, transaction: Transaction<Tables>, job: NewJob, claimant: Claimant): Promise<Selectable<JobTable>> {
  const { now } = database
  const values = { ...recordOf(job), ...claimed(database, claimant, job), created_at: now, started_at: now, attempt: 1 }
  return transaction.insertInto('jobs').values(values).returningAll().executeTakeFirstOrThrow()
}

/** The last job of the cluster, begun again with what the config says now. */
function reopened(database: Database, transaction: Transaction<Tables>, job: NewJob, claimant: Claimant) {
  const { cluster_config_yaml, options } = recordOf(job)
  const last = transaction.selectFrom('jobs as last').select('last.id').where('last.cluster', '=', job.cluster)
  return transaction
    .updateTable('jobs')
    .set({
      ...claimed(database, claimant, job),
      cluster_config_yaml,
      options,
      attempt: sql<number>`attempt + 1`,
      cancel_requested: 0,
      finished_at: null,
      error: null,
    })
    .where('id', '=', last.orderBy('last.created_at', 'desc').orderBy('last.id', 'desc').limit(1))
    .where('pipeline', '=', job.pipeline)
    .where('status', 'in', ['Failed', 'Cancelled'])
    .returningAll()
    .executeTakeFirst()
}

async function lockedBy({ query }: Database, cluster: string) {
  const busy = await query
    .selectFrom('jobs')
    .select(['id', 'worker', 'started_at'])
    .where('cluster', '=', cluster)
    .where('status', '=', 'Processing')
    .executeTakeFirst()
  const owner = busy === undefined ? 'another job' : `job ${busy.id} (${busy.worker ?? 'a worker'})`
  return fail('KX_LOCKED', { cluster, owner, since: new Date(busy?.started_at ?? Date.now()).toISOString() })
}

const abandoned = JSON.stringify(errorToJson(fail('KX_JOB_ABANDONED', {})))

/** Jobs whose process is known to be gone: there is no need to wait until they have been silent for long enough. */
async function goneAtWork({ query }: Database, cluster: string | null): Promise<readonly string[]> {
  let rows = query.selectFrom('jobs').select(['id', 'process']).where('status', '=', 'Processing')
  rows = cluster === null ? rows.where('foreground', '=', 1) : rows.where('cluster', '=', cluster)
  return (await rows.execute()).filter(({ process }) => process !== null && isGone(process)).map(({ id }) => id)
}

/** Ends what died at work on a cluster: nobody else will. Foreground jobs of all clusters when none is named. */
async function endDead({ now }: Database, query: Kysely<Tables>, gone: readonly string[], cluster: string | null): Promise<number> {
  const dead = gone.length === 0 ? sql<boolean>`lease_until < ${now}` : sql<boolean>`(lease_until < ${now} OR id IN (${sql.join(gone)}))`
  const all = query
    .updateTable('jobs')
    .set({ status: 'Failed', error: abandoned, lease_until: null, current_step: null, updated_at: now, finished_at: now })
    .where('status', '=', 'Processing')
    .where(dead)
  const ended = await (cluster === null ? all.where('foreground', '=', 1) : all.where('cluster', '=', cluster)).returning('id').execute()
  return ended.length
}

/** Ends foreground jobs whose process has died: no worker takes them over, so somebody has to say that they have failed. */
export async function endDeadForeground(database: Database): Promise<void> {
  await endDead(database, database.query, await goneAtWork(database, null), null)
}
