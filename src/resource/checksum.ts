import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../error/index.ts'
import { writeFileAtomically } from './atomic-file.ts'
import { type HttpClient, readText } from './http.ts'

/** A checksum found for a file, and who said so. */
export interface KnownChecksum {
  readonly url: string
  readonly sha256: string
  readonly from: string
}

/** Reads a publisher's checksum file: one bare hash, or lines as sha256sum writes them (also with `*` or a path before the name). */
export function parseChecksumFile(text: string, fileName: string): string | null {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  for (const line of lines) {
    const [, hash, name] = /^([0-9a-fA-F]{64})\s+[ *]?(\S+)\s*$/.exec(line) ?? []
    if (hash !== undefined && name !== undefined && name.slice(name.lastIndexOf('/') + 1) === fileName) return hash.toLowerCase()
  }
  const [, bare] = /^([0-9a-fA-F]{64})(?:\s|\0)*$/.exec(lines[0] ?? '') ?? []
  return lines.length === 1 && bare !== undefined ? bare.toLowerCase() : null
}

/** Checksums that were looked up once: the first answer is kept, so that a source which changes its mind is noticed. */
export class ChecksumBook {
  readonly #directory: string

  constructor(directory: string) {
    this.#directory = directory
  }

  async recall(url: string): Promise<KnownChecksum | null> {
    const text = await readFile(this.#file(url), 'utf8').catch(() => null)
    return text === null ? null : (JSON.parse(text) as KnownChecksum)
  }

  async record(known: KnownChecksum): Promise<void> {
    await writeFileAtomically(this.#file(known.url), `${JSON.stringify(known)}\n`)
  }

  /** Lets the next answer be the first one. */
  async forget(url: string): Promise<void> {
    await rm(this.#file(url), { force: true })
  }

  #file(url: string): string {
    return join(this.#directory, `${createHash('sha256').update(url).digest('hex')}.json`)
  }
}

/** What to look up: the file's own address is its identity, wherever it is really fetched from. */
export interface ChecksumQuestion {
  readonly url: string
  readonly fileName: string
  /** The checksum the catalogue has. */
  readonly sha256: string | null
  /** Where the source's checksum file really is, mirror and zone applied. */
  readonly checksumUrl: string | null
}

/** The checksum of a file: from the catalogue, from an earlier look-up, or from the source's own checksum file, which is then recorded. */
export async function findChecksum(
  question: ChecksumQuestion,
  book: ChecksumBook,
  http: HttpClient,
  signal?: AbortSignal,
): Promise<string | null> {
  if (question.sha256 !== null) return question.sha256
  const recorded = await book.recall(question.url)
  if (recorded !== null) return recorded.sha256
  if (question.checksumUrl === null) return null
  const response = await http.request(question.checksumUrl, signal === undefined ? {} : { signal })
  const text = await readText(response)
  if (response.status === 404) return null
  if (response.status !== 200) throw fail('KX_DOWNLOAD_REFUSED', { url: question.checksumUrl, status: response.status })
  const sha256 = parseChecksumFile(text, question.fileName)
  if (sha256 === null) return null
  await book.record({ url: question.url, sha256, from: question.checksumUrl })
  return sha256
}
