import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, mkdir, open, readFile, rename, rm, stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail, KubexmError } from '../error/index.ts'
import { type Clock, type Millis, seconds, systemClock } from '../util/time.ts'
import { type Hashed, hashFile, temporaryBeside, writeFileAtomically } from './atomic-file.ts'
import { acquireFileLock } from './file-lock.ts'
import { type HttpClient, type HttpResponse, isCertificateError } from './http.ts'
import { keepArriving } from './keep-arriving.ts'
import { formatBytes, type Progress, ProgressMeter } from './progress.ts'

/** One file to be fetched. */
export interface DownloadRequest {
  readonly url: string
  /** The final name: it appears only when the file is whole and proven. */
  readonly to: string
  /** What the bytes must hash to; null only where no one knows it. */
  readonly sha256: string | null
}

/** How downloads behave. */
export interface DownloadOptions {
  readonly http: HttpClient
  readonly signal?: AbortSignal
  /** Attempts that bring no new byte before giving up. */
  readonly attempts?: number
  /** The wait after the first failure; doubled after each further one. */
  readonly backoff?: Millis
  readonly clock?: Clock
  readonly headers?: Readonly<Record<string, string>>
  /** A lock file (kept) under which the part may be shared. */
  readonly lock?: string
  /** Free bytes of the disk that holds a path; replaced in tests. */
  freeBytes?(path: string): Promise<number>
  onProgress?(progress: Progress): void
  onRetry?(error: KubexmError, wait: Millis): void
}

/** What is left free on the disk after any download. */
const spaceMargin = 64 << 20
const longestWait = seconds(30)

/**
 * Fetches one file: resumed after a cut, checked by hash, under its final name only when whole.
 * With `lock` the part is shared with other processes and continued by the next run; without it the part is this call's own and does not outlive it.
 */
export async function download(request: DownloadRequest, options: DownloadOptions): Promise<Hashed> {
  await mkdir(dirname(request.to), { recursive: true })
  const { lock: lockFile, signal } = options
  await using lock = lockFile === undefined ? null : await acquireFileLock(lockFile, signal === undefined ? {} : { signal })
  const shared = lock?.exclusive === true
  const part = shared ? `${request.to}.part` : temporaryBeside(request.to)
  try {
    const present = await alreadyThere(request)
    if (present !== null) return present
    const hashed = await fetchPart(request, part, options)
    await rename(part, request.to)
    await rm(noteOf(part), { force: true })
    return hashed
  } catch (error) {
    if (!shared) await discard(part)
    throw error
  }
}

async function alreadyThere(request: DownloadRequest): Promise<Hashed | null> {
  if (request.sha256 === null || (await sizeOf(request.to)) === null) return null
  const found = await hashFile(request.to)
  return found.sha256 === request.sha256 ? found : null
}

async function fetchPart(request: DownloadRequest, part: string, options: DownloadOptions): Promise<Hashed> {
  const { attempts = 5, backoff = 500, clock = systemClock } = options
  const meter = new ProgressMeter(() => clock.steady())
  for (let failures = 0, wait = backoff; ; ) {
    const before = (await sizeOf(part)) ?? 0
    try {
      return await attempt(request, part, options, meter)
    } catch (thrown) {
      options.signal?.throwIfAborted()
      const error =
        thrown instanceof KubexmError ? thrown : fail('KX_DOWNLOAD', { url: request.url, why: messageOf(thrown) }, { cause: thrown })
      if (!error.retryable || isCertificateError(thrown)) {
        await discard(part)
        throw error
      }
      // A source that cuts now and then but always brings something is followed to the end.
      const progressed = ((await sizeOf(part)) ?? 0) > before
      failures = progressed ? 1 : failures + 1
      wait = progressed ? backoff : Math.min(longestWait, backoff * 2 ** (failures - 1))
      if (failures >= attempts) throw error
      options.onRetry?.(error, wait)
      await clock.sleep(wait, options.signal)
    }
  }
}

/** What must be true of the source for a part of it to be continued. */
interface PartNote {
  readonly url: string
  readonly validator: string
  readonly total: number | null
}

async function attempt(request: DownloadRequest, part: string, options: DownloadOptions, meter: ProgressMeter): Promise<Hashed> {
  const note = await readNote(part, request.url)
  const have = note === null ? 0 : ((await sizeOf(part)) ?? 0)
  const resume: Record<string, string> = note === null || have === 0 ? {} : { range: `bytes=${have}-`, 'if-range': note.validator }
  const response = await options.http.request(request.url, {
    // A compressed answer has another length and another hash than the file.
    headers: { 'accept-encoding': 'identity', ...options.headers, ...resume },
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  })
  const arriving = keepArriving(response.body)
  const start = await startOf(response, request, part, have, note)
  if (start === 'whole') return await prove(request, part, await hashFile(part), true)
  const total = totalOf(response, start)
  await writeNote(part, request.url, response, total)
  await ensureSpace(request, part, total === null ? 0 : total - start, options, response)
  const { size, hash } = await receive(arriving, part, start, total, meter, options)
  if (total !== null && size !== total) throw fail('KX_DOWNLOAD', { url: request.url, why: `it ended after ${size} of ${total} bytes` })
  return await prove(request, part, start === 0 ? { sha256: hash.digest('hex'), size } : await hashFile(part), start > 0)
}

/** Where the answer's bytes belong: at the start, behind what there is, or nowhere because nothing is missing. */
async function startOf(
  response: HttpResponse,
  request: DownloadRequest,
  part: string,
  have: number,
  note: PartNote | null,
): Promise<number | 'whole'> {
  const { status, headers } = response
  if (status === 200) return 0
  if (status === 206) {
    const [, from] = /^bytes (\d+)-/.exec(headers['content-range'] ?? '') ?? []
    if (Number(from) === have) return have
    response.body.destroy()
    await discard(part)
    throw fail('KX_DOWNLOAD', { url: request.url, why: `asked for the bytes from ${have} on, it sent "${headers['content-range'] ?? ''}"` })
  }
  response.body.destroy()
  if (status === 416 && have > 0) {
    const [, whole] = /\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
    if (Number(whole ?? note?.total) === have) return 'whole'
    await discard(part)
    throw fail('KX_DOWNLOAD', { url: request.url, why: 'the file changed while it was fetched' })
  }
  if (status === 408 || status === 429 || status >= 500) throw fail('KX_DOWNLOAD', { url: request.url, why: `it answered ${status}` })
  throw fail('KX_DOWNLOAD_REFUSED', { url: response.url, status })
}

function totalOf(response: HttpResponse, start: number): number | null {
  const range = /\/(\d+)$/.exec(response.headers['content-range'] ?? '')?.[1]
  if (range !== undefined) return Number(range)
  const length = response.headers['content-length']
  return length === undefined ? null : start + Number(length)
}

async function receive(
  arriving: AsyncIterable<Buffer>,
  part: string,
  start: number,
  total: number | null,
  meter: ProgressMeter,
  options: DownloadOptions,
): Promise<{ size: number; hash: Hash }> {
  const hash = createHash('sha256')
  const file: FileHandle = await open(part, start === 0 ? 'w' : 'r+')
  let size = start
  try {
    for await (const chunk of arriving) {
      await file.write(chunk, 0, chunk.length, size)
      if (start === 0) hash.update(chunk)
      size += chunk.length
      meter.set(size, total)
      options.onProgress?.(meter.read())
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return { size, hash }
}

/** The part is the file, or it is removed. Only bytes put together from several answers are worth a second try. */
async function prove(request: DownloadRequest, part: string, hashed: Hashed, resumed: boolean): Promise<Hashed> {
  if (request.sha256 === null || hashed.sha256 === request.sha256) return hashed
  await discard(part)
  if (resumed) throw fail('KX_DOWNLOAD', { url: request.url, why: 'its parts did not fit together' })
  throw fail('KX_CHECKSUM', { what: request.url, expected: request.sha256, got: hashed.sha256 })
}

async function ensureSpace(
  request: DownloadRequest,
  part: string,
  need: number,
  options: DownloadOptions,
  response: HttpResponse,
): Promise<void> {
  const free = await (options.freeBytes ?? freeBytesOf)(dirname(part))
  if (free >= need + spaceMargin) return
  response.body.destroy()
  throw fail('KX_DISK_SPACE', { path: dirname(request.to), need: formatBytes(need + spaceMargin), free: formatBytes(free) })
}

/** The bytes an ordinary user can still write to the disk that holds `path`. */
export async function freeBytesOf(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return bavail * bsize
}

async function readNote(part: string, url: string): Promise<PartNote | null> {
  const text = await readFile(noteOf(part), 'utf8').catch(() => null)
  if (text === null) return null
  try {
    const note = JSON.parse(text) as PartNote
    return note.url === url ? note : null
  } catch {
    // A note cut short by a crash only means that the part cannot be continued.
    return null
  }
}

/** A weak validator promises the same meaning, not the same bytes: a part is only continued under a strong one. */
async function writeNote(part: string, url: string, response: HttpResponse, total: number | null): Promise<void> {
  const { etag, 'last-modified': modified } = response.headers
  const validator = etag !== undefined && !etag.startsWith('W/') ? etag : modified
  if (validator === undefined) await rm(noteOf(part), { force: true })
  else await writeFileAtomically(noteOf(part), JSON.stringify({ url, validator, total } satisfies PartNote))
}

async function discard(part: string): Promise<void> {
  await rm(part, { force: true })
  await rm(noteOf(part), { force: true })
}

const messageOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown))

const noteOf = (part: string): string => `${part}.json`

const sizeOf = async (path: string): Promise<number | null> => (await stat(path).catch(() => null))?.size ?? null
