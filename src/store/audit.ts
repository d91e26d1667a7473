import type { Database } from './database.ts'

/** Who did what, when, from where, and how it ended. */
export interface AuditEntry {
  readonly who: string
  readonly action: string
  readonly target: string
  readonly origin: string
  readonly outcome: string
}

/** An entry as it was recorded. */
export interface RecordedAudit extends AuditEntry {
  readonly id: number
  readonly at: Date
}

/** Records a change that somebody asked for. */
export async function recordAudit({ query, now }: Database, entry: AuditEntry): Promise<void> {
  await query
    .insertInto('audit')
    .values({ at: now, ...entry })
    .execute()
}

/** The newest entries first; `before` is the id of the last one of the page before. */
export async function readAudit({ query }: Database, limit: number, before?: number): Promise<readonly RecordedAudit[]> {
  let entries = query.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit)
  if (before !== undefined) entries = entries.where('id', '<', before)
  return (await entries.execute()).map((row) => ({ ...row, at: new Date(row.at) }))
}
