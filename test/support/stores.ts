import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { type Database, type NewJob, openDatabase } from '../../src/store/index.ts'
import { inTemporaryDirectory } from './engine-run.ts'
import { startPostgres, type TestPostgres } from './postgres.ts'

/** Gives a test an empty database of one kind. */
export interface StoreUnderTest {
  readonly kind: 'sqlite' | 'postgres'
  /** Uses a fresh database by its URL. */
  withUrl<T>(use: (url: string) => Promise<T>): Promise<T>
  with<T>(use: (database: Database) => Promise<T>): Promise<T>
}

/** One suite for both kinds of database. */
export function describeStores(title: string, body: (store: StoreUnderTest) => void): void {
  describe(`${title} on SQLite`, () =>
    body(storeOf('sqlite', (use) => inTemporaryDirectory((directory) => use(join(directory, 'jobs.db'))))))
  describe(`${title} on PostgreSQL`, () => {
    let server: TestPostgres | null = null
    beforeAll(async () => {
      server = await startPostgres()
    }, 300_000)
    afterAll(async () => server?.[Symbol.asyncDispose]())
    body(storeOf('postgres', async (use) => use((await server?.database()) as string)))
  })
}

function storeOf(kind: StoreUnderTest['kind'], withUrl: StoreUnderTest['withUrl']): StoreUnderTest {
  return {
    kind,
    withUrl,
    with: (use) =>
      withUrl(async (url) => {
        await using database = await openDatabase(url)
        return await use(database)
      }),
  }
}

/** A job of a test. */
export const aJob = (given: Partial<NewJob> = {}): NewJob => ({
  cluster: `c-${randomUUID().slice(0, 8)}`,
  pipeline: 'create-cluster',
  config: 'kind: Cluster',
  options: {},
  requestedBy: 'test',
  changes: true,
  ...given,
})

/** A worker of a test. */
export const someone = { worker: 'w1', process: 'elsewhere pid:[1] b 1 1', home: 'h1', lease: 60_000 }
