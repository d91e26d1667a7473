import type { Stats } from 'node:fs'
import { chmod, constants, copyFile, link, mkdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fail } from '../error/index.ts'
import { hashFile, temporaryBeside, writeAtomically, writeFileAtomically } from './atomic-file.ts'
import { ChecksumBook } from './checksum.ts'
import { type DownloadOptions, download } from './download.ts'

/** Files by what they are, not by what they are called: shared by all clusters, filled by any number of processes. */
export class ArtifactCache {
  readonly root: string
  /** Checksums looked up from sources. */
  readonly checksums: ChecksumBook

  constructor(root: string) {
    this.root = root
    this.checksums = new ChecksumBook(join(root, 'checksums'))
  }

  /** Where the file with this hash is, if it is here. */
  pathOf(sha256: string): string {
    return join(this.root, 'sha256', sha256.slice(0, 2), sha256)
  }

  /** The file with this hash, or null. One that was changed behind the cache's back is removed and counts as missing. */
  async find(sha256: string, options: { readonly verify?: boolean } = {}): Promise<string | null> {
    const path = this.pathOf(sha256)
    const found = await stat(path).catch(() => null)
    if (found === null) return null
    const seen = await this.#readSeen(sha256)
    if (options.verify !== true && seen !== null && seen.size === found.size && seen.mtimeMs === found.mtimeMs) return path
    if ((await hashFile(path)).sha256 === sha256) {
      await this.#writeSeen(sha256)
      return path
    }
    await rm(path, { force: true })
    return null
  }

  /** Takes a file out that turned out to be of no use, whatever its hash. */
  async drop(sha256: string): Promise<void> {
    await Promise.all([rm(this.pathOf(sha256), { force: true }), rm(this.#seenFile(sha256), { force: true })])
  }

  /** Fetches a file into the cache unless it is there already. */
  async fetch(
    request: { readonly url: string; readonly sha256: string | null },
    options: DownloadOptions,
  ): Promise<{ readonly path: string; readonly sha256: string }> {
    // A file whose hash nobody knows beforehand goes by the one it turns out to have.
    if (request.sha256 === null) return await this.make((to) => download({ url: request.url, to, sha256: null }, options))
    const { sha256 } = request
    const present = await this.find(sha256)
    if (present !== null) return { path: present, sha256 }
    const path = this.pathOf(sha256)
    await download({ url: request.url, to: path, sha256 }, { ...options, lock: join(this.root, 'locks', sha256) })
    await this.#seal(sha256)
    return { path, sha256 }
  }

  /** Takes in a copy of a file of this machine (its bytes are shared where the file system can); a hash it must have is checked. */
  async admit(file: string, expected: string | null = null): Promise<{ readonly path: string; readonly sha256: string }> {
    const { sha256 } = await hashFile(file)
    if (expected !== null && expected !== sha256) throw fail('KX_CHECKSUM', { what: file, expected, got: sha256 })
    if ((await this.find(sha256)) === null) {
      await writeAtomically(this.pathOf(sha256), (temporary) => copyFile(file, temporary, constants.COPYFILE_FICLONE))
      await this.#seal(sha256)
    }
    return { path: this.pathOf(sha256), sha256 }
  }

  /** Takes in what `write` makes, under the hash it turns out to have. */
  async make(write: (path: string) => Promise<{ readonly sha256: string }>): Promise<{ readonly path: string; readonly sha256: string }> {
    const incoming = temporaryBeside(join(this.root, 'incoming'))
    try {
      await mkdir(this.root, { recursive: true })
      return await this.#adopt(incoming, (await write(incoming)).sha256)
    } finally {
      await rm(incoming, { force: true })
    }
  }

  /** Puts the cached file at a place of its own, sharing its bytes; on another disk it is a copy with the same time. */
  async link(sha256: string, to: string): Promise<void> {
    if (!(await this.isLinked(sha256, to))) await writeAtomically(to, (temporary) => linkOrCopy(this.pathOf(sha256), temporary))
  }

  /** Whether the cached file is at that place; a copy that was changed since counts as none. */
  async isLinked(sha256: string, to: string): Promise<boolean> {
    const [source, there] = await Promise.all([stat(this.pathOf(sha256)), stat(to).catch(() => null)])
    if (there === null) return false
    return (there.ino === source.ino && there.dev === source.dev) || (there.size === source.size && sameTime(there, source))
  }

  async #adopt(file: string, sha256: string): Promise<{ readonly path: string; readonly sha256: string }> {
    const path = this.pathOf(sha256)
    await mkdir(dirname(path), { recursive: true })
    await rename(file, path)
    await this.#seal(sha256)
    return { path, sha256 }
  }

  /** Marks a file that was just proven; nobody is to write to it any more. */
  async #seal(sha256: string): Promise<void> {
    await chmod(this.pathOf(sha256), 0o444)
    await this.#writeSeen(sha256)
  }

  #seenFile(sha256: string): string {
    return join(this.root, 'seen', `${sha256}.json`)
  }

  async #writeSeen(sha256: string): Promise<void> {
    const { size, mtimeMs } = await stat(this.pathOf(sha256))
    await writeFileAtomically(this.#seenFile(sha256), JSON.stringify({ size, mtimeMs }))
  }

  async #readSeen(sha256: string): Promise<{ readonly size: number; readonly mtimeMs: number } | null> {
    const text = await readFile(this.#seenFile(sha256), 'utf8').catch(() => null)
    return text === null ? null : (JSON.parse(text) as { size: number; mtimeMs: number })
  }
}

/** File systems keep times more or less finely; what is set on a copy is kept at least to the millisecond, or to the second on the oldest. */
const sameTime = (a: Stats, b: Stats): boolean => Math.abs(a.mtimeMs - b.mtimeMs) < 1000

/** What `link` says on another disk, or on one whose file system has no (more) links. */
const unlinkable = new Set(['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'])

async function linkOrCopy(from: string, to: string): Promise<void> {
  try {
    await link(from, to)
  } catch (error) {
    if (!unlinkable.has((error as NodeJS.ErrnoException).code ?? '')) throw error
    await copyFile(from, to)
    const { atime, mtime } = await stat(from)
    await utimes(to, atime, mtime)
  }
}
