import { chown, copyFile, mkdir, open, realpath, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'
import { writeFileAtomically } from '../resource/atomic-file.ts'
import { eventually } from '../util/eventually.ts'
import { isErrno, readIfThere } from '../util/local-file.ts'
import { processIdentity } from '../util/process-identity.ts'
import { type Clock, seconds } from '../util/time.ts'
import { type ChangedKubeconfig, type KubeconfigEntries, withEntries, withoutEntries } from './kubeconfig-entries.ts'

/** The kubeconfig of whoever runs kubexm, and how a cluster is called in it. */
export interface UserKubeconfig {
  readonly file: string
  /** Where it is kept which files the cluster was put into. */
  readonly record: string
  readonly name: string
  readonly signal: AbortSignal
  readonly clock: Clock
}

/** A file the cluster was put into. */
interface Merged {
  readonly file: string
  /** It was not there before. */
  readonly isNew: boolean
  /** The file as it was before. */
  readonly backup: string | null
}

/** A file from which the cluster could not be taken away. */
export interface Unclean {
  readonly file: string
  readonly why: string
}

/** Whether the cluster is in the kubeconfig as it should be, and nobody else can read it. */
export const isInUserKubeconfig = (place: UserKubeconfig, entries: KubeconfigEntries): Promise<boolean> =>
  usable(place, async (file) => {
    const text = await readIfThere(file)
    if (text === null) return false
    const { mode } = await stat(file)
    const isKnown = (await userKubeconfigsOf(place)).includes(file)
    const wanted = accepted(withEntries(text, entries, isKnown), file, entries.name)
    return text === wanted && (mode & 0o077) === 0
  })

/** Puts the cluster into the kubeconfig. Nothing is changed where that would touch anything of others. */
export const addToUserKubeconfig = (place: UserKubeconfig, entries: KubeconfigEntries): Promise<void> =>
  usable(place, async (file) => {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await locked(file, place, async () => {
      const before = await readIfThere(file)
      const known = await recorded(place)
      const isKnown = known.some((merged) => merged.file === file)
      const text = accepted(withEntries(before ?? '', entries, isKnown), file, entries.name)
      if (!isKnown) {
        const backup = before === null ? null : `${file}.before-${entries.name}`
        if (backup !== null) await copyFile(file, backup)
        // First of all: what is in the file must be found again, whatever happens next.
        await writeRecord(place, [...known, { file, isNew: before === null, backup }])
      }
      await write(file, text)
    })
  })

/** The files the cluster was put into. */
export const userKubeconfigsOf = async (place: UserKubeconfig): Promise<readonly string[]> =>
  (await recorded(place)).map(({ file }) => file)

/** Takes the cluster out of every file it was put into; gives the files where that cannot be done, which stay as they are. */
export async function removeFromUserKubeconfigs(place: UserKubeconfig): Promise<readonly Unclean[]> {
  const unclean: Unclean[] = []
  for (const merged of await recorded(place)) {
    const why = await takeOut(place, merged)
    if (why !== null) unclean.push({ file: merged.file, why })
  }
  // Those that are left are told to their owner: the cluster they name is gone.
  await rm(place.record, { force: true })
  return unclean
}

/** Null when it is done, else why it cannot be. */
async function takeOut(place: UserKubeconfig, { file, isNew, backup }: Merged): Promise<string | null> {
  try {
    if ((await readIfThere(file)) === null) return null
    return await locked(file, place, async () => {
      const changed = withoutEntries((await readIfThere(file)) ?? '', place.name)
      if (!('text' in changed)) return 'wrong' in changed ? changed.wrong : null
      if (isNew && changed.isEmpty) await rm(file, { force: true })
      else await write(file, changed.text)
      if (backup !== null) await rm(backup, { force: true })
      return null
    })
  } catch (error) {
    place.signal.throwIfAborted()
    return error instanceof Error ? error.message : String(error)
  }
}

/** Does something with the file itself: a link to a kubeconfig stays one. What the system refuses is told with the file's name. */
async function usable<T>({ file: named }: UserKubeconfig, work: (file: string) => Promise<T>): Promise<T> {
  try {
    return await work(await behindLinks(named))
  } catch (cause) {
    if (!isErrno(cause, 'EACCES', 'EISDIR', 'ENOTDIR', 'ENOSPC', 'EPERM', 'EROFS')) throw cause
    throw fail('KX_KUBECONFIG_UNUSABLE', { file: named, why: (cause as Error).message }, { cause })
  }
}

/** The changed text; entries of others and a file that cannot be read are errors. */
function accepted(changed: ChangedKubeconfig, file: string, name: string): string {
  if ('wrong' in changed) throw fail('KX_KUBECONFIG_UNUSABLE', { file, why: changed.wrong })
  if ('foreign' in changed) throw fail('KX_KUBECONFIG_FOREIGN', { file, name })
  return changed.text
}

/** kubectl takes the same lock when it writes: whoever makes the file first may write. */
async function locked<T>(file: string, { signal, clock }: UserKubeconfig, work: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`
  const got = await eventually(() => take(lock), { every: 100, within: seconds(10), signal, clock })
  if (got === null) throw fail('KX_KUBECONFIG_LOCKED', { file, lock })
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function take(lock: string): Promise<true | null> {
  try {
    const handle = await open(lock, 'wx', 0o600)
    // For people who find it there.
    await handle.writeFile(`kubexm ${processIdentity()}\n`).finally(() => handle.close())
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return null
    throw error
  }
}

/** Whole or not at all, for its owner alone; run with sudo, the owner stays who it was. */
async function write(file: string, text: string): Promise<void> {
  const before = await stat(file).catch(() => null)
  await writeFileAtomically(file, text, 0o600)
  if (before !== null && process.getuid?.() === 0) await chown(file, before.uid, before.gid)
}

async function behindLinks(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return file
    throw error
  }
}

const recorded = async ({ record }: UserKubeconfig): Promise<readonly Merged[]> =>
  JSON.parse((await readIfThere(record)) ?? '[]') as readonly Merged[]

const writeRecord = ({ record }: UserKubeconfig, merged: readonly Merged[]): Promise<void> =>
  writeFileAtomically(record, `${JSON.stringify(merged, null, 2)}\n`, 0o600)
