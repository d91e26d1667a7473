import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'
import { eventually } from '../util/eventually.ts'
import { isErrno, readIfThere } from '../util/local-file.ts'
import { seconds } from '../util/time.ts'
import { fingerprint, type KnownHost, keyType, knownHostName, matchesName, parseKnownHosts } from './known-hosts.ts'

/** Where host keys are looked up and kept. */
export interface HostKeyFiles {
  /** known_hosts files that are only read. */
  readonly knownHosts: readonly string[]
  /** Where a key seen for the first time is kept, in known_hosts format; it is read as well. */
  readonly pinFile: string
  /** What happens to a key that no file knows (default `pin`). */
  readonly unknown?: 'pin' | 'refuse'
}

interface Found extends KnownHost {
  readonly file: string
}

/** The key types filed for a server, so that it is asked for one of those. */
export async function knownKeyTypes(files: HostKeyFiles, address: string, port: number): Promise<readonly string[]> {
  const found = await lookUp(files, knownHostName(address, port))
  return [...new Set(found.filter((entry) => entry.marker === null).map((entry) => entry.type))]
}

/** Accepts a known key, keeps the first key of an unknown server, and throws for any other. */
export async function checkHostKey(files: HostKeyFiles, address: string, port: number, key: Buffer): Promise<'known' | 'pinned'> {
  const name = knownHostName(address, port)
  if (judge(await lookUp(files, name), name, key) === 'known') return 'known'
  if (files.unknown === 'refuse') throw fail('KX_HOST_KEY_UNKNOWN', { name, fingerprint: fingerprint(key) })
  return await alone(files.pinFile, async () => {
    // Looked up again: another connection or process may have pinned a key since.
    if (judge(await lookUp(files, name), name, key) === 'known') return 'known'
    await append(files.pinFile, `${name} ${keyType(key)} ${key.toString('base64')}\n`)
    return 'pinned'
  })
}

function judge(found: readonly Found[], name: string, key: Buffer): 'known' | 'unknown' {
  const same = found.filter((entry) => entry.key.equals(key))
  const revoked = same.find((entry) => entry.marker === 'revoked')
  if (revoked !== undefined)
    throw fail('KX_HOST_KEY_REVOKED', { name, fingerprint: fingerprint(key), file: revoked.file, line: revoked.line })
  if (same.some((entry) => entry.marker === null)) return 'known'
  // A key of another type is refused too: the server was asked for the types that are filed.
  const other = found.find((entry) => entry.marker === null)
  if (other !== undefined) throw fail('KX_HOST_KEY_CHANGED', { name, fingerprint: fingerprint(key), file: other.file, line: other.line })
  return 'unknown'
}

async function lookUp(files: HostKeyFiles, name: string): Promise<readonly Found[]> {
  const perFile = await Promise.all(
    [...files.knownHosts, files.pinFile].map(async (file) => {
      const entries = parseKnownHosts(await textOf(file))
      return entries.filter((entry) => matchesName(entry, name)).map((entry) => ({ ...entry, file }))
    }),
  )
  return perFile.flat()
}

async function textOf(file: string): Promise<string> {
  try {
    return (await readIfThere(file)) ?? ''
  } catch (thrown) {
    throw fail('KX_LOCAL_FILE', { path: file, why: (thrown as Error).message }, { cause: thrown })
  }
}

async function append(file: string, line: string): Promise<void> {
  const before = await textOf(file)
  const temporary = `${file}.${process.pid}.new`
  const handle = await open(temporary, 'w', 0o600)
  try {
    await handle.writeFile(before === '' || before.endsWith('\n') ? before + line : `${before}\n${line}`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(temporary, file)
}

const staleLock = seconds(10)
const queues = new Map<string, Promise<unknown>>()

/** One writer of the pin file at a time: in this process by a queue, among processes by a lock file. */
async function alone<T>(file: string, work: () => Promise<T>): Promise<T> {
  const turn = (queues.get(file) ?? Promise.resolve()).then(() => locked(file, work))
  queues.set(
    file,
    turn.catch(() => undefined),
  )
  return await turn
}

async function locked<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const taken = await eventually(() => tryLock(lock), { every: 20, within: seconds(15) })
  if (taken === null) throw fail('KX_LOCAL_FILE', { path: lock, why: 'another process holds it' })
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function tryLock(lock: string): Promise<true | null> {
  try {
    await (await open(lock, 'wx')).close()
    return true
  } catch (thrown) {
    if (!isErrno(thrown, 'EEXIST')) throw thrown
    const age = await stat(lock).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    )
    // Its owner died: writing takes milliseconds.
    if (age > staleLock) await rm(lock, { force: true })
    return null
  }
}
