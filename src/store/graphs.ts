import type { Json } from '../util/json.ts'
import type { Claim } from './claims.ts'
import type { Database } from './database.ts'

/** Keeps the plan of a job; a later attempt may have planned anew. */
export async function saveGraph({ query }: Database, { job }: Claim, graph: Json): Promise<void> {
  const text = JSON.stringify(graph)
  await query
    .insertInto('job_graphs')
    .values({ job_id: job.id, graph: text })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ graph: text }))
    .execute()
}

/** The plan of a job; null before there is one. */
export async function readGraph({ query }: Database, id: string): Promise<Json | null> {
  const row = await query.selectFrom('job_graphs').select('graph').where('job_id', '=', id).executeTakeFirst()
  return row === undefined ? null : (JSON.parse(row.graph) as Json)
}
