import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'
import { isErrno, readIfThere } from '../util/local-file.ts'
import { seconds } from '../util/time.ts'

/** Who works on a cluster, as the lock file says. */
interface Holder {
  /** Names the process, so that an equal pid after a reboot is not taken for it. */
  readonly id: string
  readonly pid: number
  readonly machine: string
  readonly boot: string
  /** The fencing number: each holder's is higher than the one before. */
  readonly fence: number
  readonly since: string
  readonly expires: number
  /** The job database that gave the holder its right, if one did. */
  readonly authority?: string
}

/** A job database that says who may work: whoever has its newer claim takes over from the holder of an older one at once, dead or not. */
export interface Authority {
  readonly name: string
  /** The fencing number of the claim: the lease's is at least as high. */
  readonly fence: number
}

/** The right to work on one cluster. Lost when another process took it over: then `lost` is aborted and the run must stop. */
export interface Lease extends AsyncDisposable {
  readonly fence: number
  readonly lost: AbortSignal
}

const lifetime = seconds(30)

/** Takes the lock of a work directory; a holder that is dead or silent for too long is taken over with a higher number. */
export async function takeLease(file: string, cluster: string, authority?: Authority): Promise<Lease> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const me = {
    id: randomUUID(),
    pid: process.pid,
    machine: hostname(),
    boot: await bootId(),
    since: new Date().toISOString(),
    ...(authority === undefined ? {} : { authority: authority.name }),
  }
  const before = await read(file)
  const overruled = authority !== undefined && before?.authority === authority.name
  if (before !== null && before.expires > 0 && !overruled && (await isAlive(before))) {
    throw fail('KX_LOCKED', { cluster, owner: `process ${before.pid} on ${before.machine}`, since: before.since })
  }
  const fence = Math.max((before?.fence ?? 0) + 1, authority?.fence ?? 0)
  const holder = (): Holder => ({ ...me, fence, expires: Date.now() + lifetime })
  await claim(file, before, holder(), cluster)

  const lost = new AbortController()
  const renew = async (): Promise<void> => {
    const now = await read(file)
    if (now?.id !== me.id) lost.abort(fail('KX_FENCED', { newer: now?.fence ?? fence + 1, own: fence }))
    else await replace(file, holder())
  }
  const timer = setInterval(() => {
    renew().catch((cause) => lost.abort(cause))
  }, lifetime / 3)
  timer.unref()
  return {
    fence,
    lost: lost.signal,
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer)
      // The number stays in the file: the next holder's must be higher.
      if ((await read(file))?.id === me.id) await replace(file, { ...holder(), expires: 0 })
    },
  }
}

/** Writes the new holder unless somebody else was faster. The link is what cannot succeed twice. */
async function claim(file: string, before: Holder | null, mine: Holder, cluster: string): Promise<void> {
  const turn = `${file}.${mine.fence}`
  await writeFile(`${file}.${mine.id}`, JSON.stringify(mine), { mode: 0o600 })
  try {
    await link(`${file}.${mine.id}`, turn)
  } catch (cause) {
    await rm(`${file}.${mine.id}`, { force: true })
    if (!isErrno(cause, 'EEXIST')) throw cause
    const other = await read(turn)
    // The winner of an earlier race for this number that died before it took the lock leaves only its mark.
    if (other !== null && !(await isAlive(other))) {
      await rm(turn, { force: true })
      return claim(file, before, mine, cluster)
    }
    throw fail('KX_LOCKED', {
      cluster,
      owner: `process ${other?.pid ?? '?'} on ${other?.machine ?? '?'}`,
      since: other?.since ?? 'just now',
    })
  }
  // Somebody may have taken the lock and put his mark away again between our look and our link.
  const now = await read(file)
  if (now?.id !== before?.id) {
    await Promise.all([rm(turn, { force: true }), rm(`${file}.${mine.id}`, { force: true })])
    throw fail('KX_LOCKED', { cluster, owner: `process ${now?.pid ?? '?'} on ${now?.machine ?? '?'}`, since: now?.since ?? 'just now' })
  }
  await rename(`${file}.${mine.id}`, file)
  await rm(turn, { force: true })
}

async function replace(file: string, holder: Holder): Promise<void> {
  await writeFile(`${file}.${holder.id}`, JSON.stringify(holder), { mode: 0o600 })
  await rename(`${file}.${holder.id}`, file)
}

async function read(file: string): Promise<Holder | null> {
  const text = await readIfThere(file)
  return text === null ? null : (JSON.parse(text) as Holder)
}

/** On this machine the process itself is asked; of another machine's only the time of its last renewal is known. */
async function isAlive(holder: Holder): Promise<boolean> {
  if (holder.machine !== hostname()) return holder.expires > Date.now()
  if (holder.boot !== (await bootId())) return false
  try {
    process.kill(holder.pid, 0)
    return true
  } catch (error) {
    return isErrno(error, 'EPERM')
  }
}

async function bootId(): Promise<string> {
  try {
    return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim()
  } catch {
    // Not Linux: the process number alone must do.
    return 'unknown'
  }
}
