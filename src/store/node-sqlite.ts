import { closeSync, openSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import { SqliteDialect } from 'kysely'

/** The part of a SQLite driver that Kysely uses, over the one that comes with Node. */
class Statement {
  readonly #statement: StatementSync
  readonly reader: boolean

  constructor(statement: StatementSync) {
    this.#statement = statement
    this.reader = statement.columns().length > 0
  }

  all(parameters: readonly unknown[]): unknown[] {
    return this.#statement.all(...(parameters as SQLInputValue[]))
  }

  run(parameters: readonly unknown[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.#statement.run(...(parameters as SQLInputValue[]))
  }

  iterate(parameters: readonly unknown[]): IterableIterator<unknown> {
    return this.#statement.iterate(...(parameters as SQLInputValue[]))
  }
}

/** How long a process waits for others that write: first of all, since changing the journal mode needs the file to itself. */
const patience = 'PRAGMA busy_timeout = 10000'

/** Kysely over a SQLite file. Several processes may use it at once: writers wait for each other. */
export function sqliteDialect(file: string): SqliteDialect {
  // Configs and logs are nobody else's business; SQLite gives its own files beside it the same mode.
  closeSync(openSync(file, 'a', 0o600))
  const database = new DatabaseSync(file)
  try {
    database.exec(`${patience}; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON`)
  } catch (error) {
    database.close()
    throw error
  }
  return new SqliteDialect({
    database: { prepare: (sql: string) => new Statement(database.prepare(sql)), close: () => database.close() },
  })
}
