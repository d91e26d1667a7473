import { sql } from 'kysely'
import type { Millis } from '../util/time.ts'
import type { Database } from './database.ts'

/**
 * Removes jobs that ended longer ago than this, with their events. Of each cluster stay: the newest job (its config), the one with the
 * highest fencing number (the next must be higher), and the last one that changed the cluster (whether it is there).
 */
export async function removeOldJobs({ query, now }: Database, olderThan: Millis): Promise<number> {
  const { numDeletedRows } = await query
    .deleteFrom('jobs')
    .where('finished_at', '<', sql<number>`${now} - ${sql.lit(olderThan)}`)
    .where('status', 'in', ['Success', 'Failed', 'Cancelled'])
    .where(sql<boolean>`EXISTS (SELECT 1 FROM jobs newer WHERE newer.cluster = jobs.cluster AND newer.created_at > jobs.created_at)`)
    // One that was cancelled while it waited has no number.
    .where(
      sql<boolean>`(fence = 0 OR EXISTS (SELECT 1 FROM jobs higher WHERE higher.cluster = jobs.cluster AND higher.fence > jobs.fence))`,
    )
    .where(
      sql<boolean>`(status <> 'Success' OR changes = 0 OR EXISTS (
        SELECT 1 FROM jobs later WHERE later.cluster = jobs.cluster AND later.status = 'Success'
          AND later.changes = 1 AND later.fence > jobs.fence))`,
    )
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** Removes entries of the audit log that are older than this. */
export async function removeOldAudit({ query, now }: Database, olderThan: Millis): Promise<number> {
  const { numDeletedRows } = await query
    .deleteFrom('audit')
    .where('at', '<', sql<number>`${now} - ${sql.lit(olderThan)}`)
    .executeTakeFirst()
  return Number(numDeletedRows)
}
