import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join, resolve } from 'node:path'
import { fail } from '../../error/index.ts'
import { type Database, databaseId, isPostgres, openDatabase, settingOf } from '../../store/index.ts'
import { madeOnce } from '../../util/made-once.ts'
import { processIdentity } from '../../util/process-identity.ts'
import type { SealingKey } from '../../util/sealing.ts'
import { jobKey } from './key.ts'

/** A job database and what goes with it. */
export interface Jobs extends AsyncDisposable {
  readonly database: Database
  /** Names the database, whatever address it is reached at. */
  readonly id: string
  readonly key: SealingKey
  /** Where `.kubexm` is. */
  readonly directory: string
  /** Names the work directory: a job can go on only where its journal is. */
  readonly home: string
  /** Names this process among those that run jobs. */
  readonly worker: string
  readonly process: string
}

interface Place {
  /** Where `.kubexm` is, and in it the embedded database. */
  readonly directory: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Opens the job database that `KUBEXM_DATABASE_URL` names, or else the embedded one of the directory. */
export async function openJobs({ directory, env = process.env }: Place): Promise<Jobs> {
  const own = join(resolve(directory), '.kubexm')
  const url = env.KUBEXM_DATABASE_URL ?? join(own, 'jobs.db')
  const database = await openDatabase(url)
  try {
    const key = await jobKey(env, isPostgres(url) ? null : `${url.replace(/\.db$/, '')}.key`)
    await checkKey(database, key)
    return {
      database,
      id: await databaseId(database),
      key,
      directory: resolve(directory),
      home: (await madeOnce(join(own, 'jobs.home'), randomUUID)).trim(),
      worker: `${hostname()}/${process.pid}`,
      process: processIdentity(),
      [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
    }
  } catch (error) {
    await database[Symbol.asyncDispose]()
    throw error
  }
}

const proof = 'kubexm'

/** A wrong key is found out now, not when a job is to be run. */
async function checkKey(database: Database, key: SealingKey): Promise<void> {
  const sealed = await settingOf(database, 'sealed', () => key.seal(proof))
  try {
    if (key.open(sealed) === proof) return
  } catch (cause) {
    throw fail('KX_SEAL_KEY', { from: 'this process', why: 'it is not the one the database was filled with' }, { cause })
  }
}
