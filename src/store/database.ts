import { randomUUID } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Kysely, PostgresDialect, type RawBuilder, sql } from 'kysely'
import { asKubexmError, fail } from '../error/index.ts'
import { type Migration, migrations } from './migrations.ts'
import { sqliteDialect } from './node-sqlite.ts'
import type { Tables } from './tables.ts'

/** A connection to the job database, and what differs between the two kinds of it. */
export interface Database extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  readonly query: Kysely<Tables>
  /** The database's own clock: workers may have wrong ones. */
  readonly now: RawBuilder<number>
  /** Lets several workers look for a job at once without waiting for each other. */
  readonly skipLocked: RawBuilder<unknown>
}

/** Opens the database of a URL: `postgres://…`, or the path of a SQLite file. The schema is brought up to date: to that of this version. */
export async function openDatabase(url: string, schema: readonly Migration[] = migrations): Promise<Database> {
  let database: Database | null = null
  try {
    database = isPostgres(url) ? await postgres(url) : await sqlite(url)
    await migrate(database, schema)
    return database
  } catch (cause) {
    await database?.[Symbol.asyncDispose]()
    throw asKubexmError(cause).code === 'KX_BUG'
      ? fail('KX_STORE_UNAVAILABLE', { store: withoutPassword(url), why: reasonOf(cause) }, { cause })
      : cause
  }
}

/** Whether a database URL names a PostgreSQL server rather than a file. */
export const isPostgres = (url: string): boolean => /^postgres(ql)?:\/\//.test(url)

/** An attempt at several addresses fails with a message that is empty: its parts say why. */
const reasonOf = (cause: unknown): string =>
  cause instanceof AggregateError ? cause.errors.map(reasonOf).join('; ') : cause instanceof Error ? cause.message : String(cause)

async function sqlite(file: string): Promise<Database> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const query = new Kysely<Tables>({ dialect: sqliteDialect(file) })
  return {
    kind: 'sqlite',
    query,
    now: sql<number>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`,
    // A writer has the whole file to itself.
    skipLocked: sql``,
    [Symbol.asyncDispose]: () => query.destroy(),
  }
}

async function postgres(url: string): Promise<Database> {
  const { default: pg } = await import('pg')
  // Times and counters fit a double; as text they would compare wrongly.
  const types = { getTypeParser: (oid: number, format?: string) => (oid === 20 ? Number : pg.types.getTypeParser(oid, format as 'text')) }
  const pool = new pg.Pool({ connectionString: url, max: 10, connectionTimeoutMillis: 10_000, types: types as never })
  // A connection that dies while nobody uses it is replaced; without this it would end the process.
  pool.on('error', () => {})
  const query = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  return {
    kind: 'postgres',
    query,
    // The moment a statement began: unlike the clock itself it is one value, which an index can be asked for.
    now: sql<number>`(extract(epoch from statement_timestamp()) * 1000)::bigint`,
    skipLocked: sql`FOR UPDATE SKIP LOCKED`,
    [Symbol.asyncDispose]: () => query.destroy(),
  }
}

/** Any number: it only has to be the same in every process. */
const migrationLock = 7_248_163

/** Brings the schema up to date. Processes that start at once wait for the first of them. */
async function migrate({ kind, query, now }: Database, schema: readonly Migration[]): Promise<void> {
  await query.connection().execute(async (connection) => {
    const run = (text: string) => sql.raw(text).execute(connection)
    await run(kind === 'postgres' ? 'BEGIN' : 'BEGIN IMMEDIATE')
    try {
      if (kind === 'postgres') await run(`SELECT pg_advisory_xact_lock(${migrationLock})`)
      await run('CREATE TABLE IF NOT EXISTS migrations (id integer PRIMARY KEY, at bigint NOT NULL)')
      const done = new Set((await connection.selectFrom('migrations').select('id').execute()).map(({ id }) => id))
      refuseNewer(done, schema)
      for (const { id, statements } of schema.filter((migration) => !done.has(migration.id))) {
        const serial = kind === 'postgres' ? 'bigserial PRIMARY KEY' : 'integer PRIMARY KEY AUTOINCREMENT'
        for (const statement of statements) await run(statement.replace('{serial}', serial))
        await connection.insertInto('migrations').values({ id, at: now }).execute()
      }
      await run('COMMIT')
    } catch (error) {
      await run('ROLLBACK')
      throw error
    }
  })
}

/** What a newer version wrote may mean something this one does not know: better to stop than to guess. */
function refuseNewer(done: ReadonlySet<number>, schema: readonly Migration[]): void {
  const known = Math.max(...schema.map(({ id }) => id))
  const newest = Math.max(0, ...done)
  if (newest > known) throw fail('KX_STORE_NEWER', { found: newest, known })
}

/** A value of the database itself, made by `first` if it is not there yet; of several that make it at once one wins. */
export async function settingOf({ query }: Database, name: string, first: () => string): Promise<string> {
  await query
    .insertInto('settings')
    .values({ name, value: first() })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  return (await query.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirstOrThrow()).value
}

/** A name of this database that no other one has, whatever address it is reached at. */
export const databaseId = (database: Database): Promise<string> => settingOf(database, 'id', randomUUID)

/** Whether the database answers. */
export async function isReady({ query }: Database): Promise<boolean> {
  try {
    await sql`SELECT 1`.execute(query)
    return true
  } catch {
    return false
  }
}

/** A database URL that can be shown. */
export const withoutPassword = (url: string): string =>
  url.replace(/(:\/\/[^:/@]*):.*@/, '$1:***@').replace(/([?&]password=)[^&]*/i, '$1***')
