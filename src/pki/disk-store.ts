import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../error/index.ts'
import { acquireFileLock, type FileLock } from '../resource/file-lock.ts'
import { isErrno, readIfThere } from '../util/local-file.ts'
import type { PkiStore, StoredName } from './store.ts'

/** The part of a cluster's work directory that holds certificates. */
interface CertificateDirectories {
  certs(of: 'etcd' | 'kubernetes'): string
}

/** Keeps everything as files that only this user may read, under the work directory of the cluster. */
export function diskStore(paths: CertificateDirectories): PkiStore {
  const root = dirname(paths.certs('kubernetes'))
  const pathOf = (name: StoredName): string => {
    const [of = '', ...rest] = name.split('/')
    return join(paths.certs(of === 'etcd' ? 'etcd' : 'kubernetes'), ...rest)
  }
  const lock = sharedLock(`${root}.lock`, () => sweep(root))
  return {
    read: (name) => textOf(pathOf(name)),
    write: (name, text) => placing(pathOf(name), text, (from, to) => rename(from, to)),
    create: async (name, text) => {
      const file = pathOf(name)
      await placing(file, text, async (from, to) => {
        try {
          await link(from, to)
        } catch (error) {
          if (!isErrno(error, 'EEXIST')) throw error
        }
      })
      return readFile(file, 'utf8')
    },
    exclusively: lock,
    exists: async () => {
      const found = await Promise.all([paths.certs('kubernetes'), paths.certs('etcd')].map(namesIn))
      return found.some((names) => names.length > 0)
    },
    clear: () => rm(root, { recursive: true, force: true }),
  }
}

/** How the name of a file ends that is not whole yet. */
const unfinished = '.tmp'

/** Writes beside the final name and lets `place` give the file that name, once it is whole and on the disk. */
async function placing(file: string, text: string, place: (from: string, to: string) => Promise<void>): Promise<void> {
  const temporary = `${file}.${randomUUID()}${unfinished}`
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await place(temporary, file)
  } catch (cause) {
    throw fail('KX_PKI_STORE', { file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  } finally {
    await rm(temporary, { force: true })
  }
}

async function textOf(file: string): Promise<string | null> {
  try {
    return await readIfThere(file)
  } catch (cause) {
    throw fail('KX_PKI_STORE', { file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}

/** Takes away what a process left that was killed while it wrote: it may hold a key. */
async function sweep(root: string): Promise<void> {
  const left = (await namesIn(root)).filter((name) => name.endsWith(unfinished))
  await Promise.all(left.map((name) => rm(join(root, name), { force: true })))
}

async function namesIn(directory: string): Promise<readonly string[]> {
  try {
    return await readdir(directory, { recursive: true })
  } catch (cause) {
    if (isErrno(cause, 'ENOENT')) return []
    throw cause
  }
}

/** One lock for all work of this process at a time: the first to come takes it, the last to go gives it back. */
function sharedLock(file: string, whenAlone: () => Promise<void>): PkiStore['exclusively'] {
  let inside = 0
  let held: Promise<FileLock> | null = null
  const enter = async (): Promise<FileLock> => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const lock = await acquireFileLock(file)
    if (lock.exclusive) await whenAlone()
    return lock
  }
  return async (work) => {
    inside++
    held ??= enter()
    const mine = held
    try {
      await mine
      return await work()
    } finally {
      inside--
      if (inside === 0) {
        held = null
        await (await mine.catch(() => null))?.[Symbol.asyncDispose]()
      }
    }
  }
}
