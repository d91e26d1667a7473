import { semaphore } from '../util/semaphore.ts'

/** A file of the PKI: `kubernetes/ca.crt`, `etcd/hosts/node1/etcd-peer.key`. */
export type StoredName = `${'kubernetes' | 'etcd'}/${string}`

/** Where the certificates and keys of a cluster are kept on this machine. */
export interface PkiStore {
  /** The text of a file; null where there is none. */
  read(name: StoredName): Promise<string | null>
  /** Writes a file, whole or not at all. Whoever writes works exclusively. */
  write(name: StoredName, text: string): Promise<void>
  /** Makes a file unless there is one, and gives what is there then: of two that try at once both get the same. */
  create(name: StoredName, text: string): Promise<string>
  /** Lets this process work while no other one does. */
  exclusively<T>(work: () => Promise<T>): Promise<T>
  /** Whether anything is kept. */
  exists(): Promise<boolean>
  /** Forgets everything. */
  clear(): Promise<void>
}

/** Keeps everything in memory: for rehearsals. */
export const memoryStore = (files = new Map<StoredName, string>()): PkiStore => storeOver(files, null)

/** Reads what another store keeps and keeps what is written to itself: for looking what a run would do. */
export const overlayStore = (below: PkiStore): PkiStore => storeOver(new Map(), below)

function storeOver(files: Map<StoredName, string>, below: PkiStore | null): PkiStore {
  const oneByOne = semaphore(1)
  let cleared = false
  const read = async (name: StoredName): Promise<string | null> =>
    files.get(name) ?? (below === null || cleared ? null : await below.read(name))
  return {
    read,
    write: async (name, text) => void files.set(name, text),
    create: (name, text) =>
      oneByOne(async () => {
        const there = await read(name)
        if (there === null) files.set(name, text)
        return there ?? text
      }),
    exclusively: (work) => work(),
    exists: async () => files.size > 0 || (below !== null && !cleared && (await below.exists())),
    clear: async () => {
      files.clear()
      cleared = true
    },
  }
}
