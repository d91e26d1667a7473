import { sql } from 'kysely'
import { fail } from '../error/index.ts'
import type { Database } from './database.ts'
import { type Job, jobColumns, jobOf } from './jobs.ts'

/** What the jobs of a cluster say about it. */
export interface ClusterRecord {
  readonly name: string
  readonly lastJob: Job
  /** The pipeline of the last job that changed it and succeeded. */
  readonly lastChange: string | null
}

/** Clusters by name, a page at a time. */
export async function listClusters(
  database: Database,
  { limit, after = '' }: { readonly limit: number; readonly after?: string },
): Promise<readonly ClusterRecord[]> {
  const names = await database.query
    .selectFrom('jobs')
    .select('cluster')
    .distinct()
    .where('cluster', '>', after)
    .orderBy('cluster')
    .limit(limit)
    .execute()
  return recordsOf(
    database,
    names.map(({ cluster }) => cluster),
  )
}

/** One cluster, or null where no job ever was about it. */
export async function findCluster(database: Database, name: string): Promise<ClusterRecord | null> {
  const [found] = await recordsOf(database, [name])
  return found ?? null
}

async function recordsOf({ query }: Database, names: readonly string[]): Promise<readonly ClusterRecord[]> {
  if (names.length === 0) return []
  const rows = await query
    .selectFrom('jobs')
    .select([
      ...jobColumns,
      sql<string | null>`(SELECT change.pipeline FROM jobs change WHERE change.cluster = jobs.cluster AND change.status = 'Success'
        AND change.changes = 1 ORDER BY change.fence DESC LIMIT 1)`.as('last_change'),
    ])
    .where('cluster', 'in', [...names])
    .where(
      sql<boolean>`NOT EXISTS (SELECT 1 FROM jobs newer WHERE newer.cluster = jobs.cluster AND (newer.created_at, newer.id) > (jobs.created_at, jobs.id))`,
    )
    .orderBy('cluster')
    .execute()
  return rows.map(({ last_change, ...row }) => ({ name: row.cluster, lastJob: jobOf(row), lastChange: last_change }))
}

/** The job whose config a cluster was last worked on with; one that changed nothing counts only where there is no other. */
export async function lastConfigJob({ query }: Database, name: string): Promise<string> {
  const row = await query
    .selectFrom('jobs')
    .select('id')
    .where('cluster', '=', name)
    .orderBy('changes', 'desc')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .executeTakeFirst()
  if (row === undefined) throw fail('KX_CLUSTER_UNKNOWN', { cluster: name })
  return row.id
}
