import { createHash } from 'node:crypto'
import { fail, KubexmError } from '../../error/index.ts'
import { sha256 } from '../../util/hash.ts'
import { type Clock, systemClock } from '../../util/time.ts'
import {
  HttpClient,
  type HttpRequest,
  type HttpResponse,
  isCertificateError,
  type ProxyEnvironment,
  readText,
  type TlsOptions,
} from '../http.ts'
import { Authenticator, type Credentials } from './auth.ts'
import { type Descriptor, mediaTypes, readAll } from './types.ts'

/** How a registry is reached. */
export interface RegistryOptions {
  /** `host` or `host:port`. */
  readonly registry: string
  /** Where it is, if its name does not tell. */
  readonly address?: string
  readonly plainHttp?: boolean
  readonly tls?: TlsOptions
  readonly credentials?: Credentials
  readonly proxy?: ProxyEnvironment
  readonly clock?: Clock
  readonly signal?: AbortSignal
}

const manifestTypes = [mediaTypes.index, mediaTypes.manifest, mediaTypes.dockerIndex, mediaTypes.dockerManifest].join(', ')
const attempts = 4

/** A client of the distribution API: what pull and push are made of. Every byte that comes in is checked against its digest. */
export class RegistryClient implements Disposable {
  readonly registry: string
  readonly #base: string
  readonly #http: HttpClient
  readonly #auth: Authenticator
  readonly #clock: Clock
  readonly #signal: AbortSignal | undefined

  constructor(options: RegistryOptions) {
    this.registry = options.registry
    // Docker Hub's API does not live at the name its images carry.
    const host = options.registry === 'docker.io' ? 'registry-1.docker.io' : options.registry
    this.#base = `${options.plainHttp === true ? 'http' : 'https'}://${host}/v2`
    this.#http = new HttpClient({
      ...(options.tls === undefined ? {} : { tls: options.tls }),
      ...(options.proxy === undefined ? {} : { proxy: options.proxy }),
      ...(options.address === undefined ? {} : { address: options.address }),
    })
    this.#auth = new Authenticator(options.registry, this.#http, options.credentials ?? null)
    this.#clock = options.clock ?? systemClock
    this.#signal = options.signal
  }

  /** Whether the registry answers, and takes our credentials. */
  async ping(): Promise<void> {
    const response = await this.#send('/', 'registry:catalog:*', {})
    response.body.resume()
    if (response.status !== 200) throw this.#refusal('the check', response, '')
  }

  /** What a tag or digest points to, or null. */
  async resolve(repository: string, reference: string): Promise<Descriptor | null> {
    const response = await this.#send(`/${repository}/manifests/${reference}`, pull(repository), {
      method: 'HEAD',
      headers: { accept: manifestTypes },
    })
    response.body.resume()
    if (response.status === 404) return null
    const { 'docker-content-digest': digest, 'content-length': length, 'content-type': type } = response.headers
    if (response.status !== 200) throw this.#refusal(`looking up ${repository}:${reference}`, response, '')
    if (typeof digest !== 'string' || length === undefined || type === undefined)
      return (await this.manifest(repository, reference)).descriptor
    return { mediaType: type.split(';')[0] ?? type, digest, size: Number(length) }
  }

  /** A manifest or index, whole. */
  async manifest(repository: string, reference: string): Promise<{ readonly descriptor: Descriptor; readonly bytes: Buffer }> {
    const what = `pulling ${repository}:${reference}`
    return await this.#retrying(async () => {
      const response = await this.#send(`/${repository}/manifests/${reference}`, pull(repository), { headers: { accept: manifestTypes } })
      if (response.status !== 200) throw this.#refusal(what, response, await readText(response), imageIn(repository, reference))
      const bytes = await readAll(response.body)
      const digest = `sha256:${sha256(bytes)}`
      if (reference.startsWith('sha256:') && reference !== digest)
        throw fail('KX_CHECKSUM', { what: `${repository}@${reference}`, expected: reference, got: digest })
      const mediaType =
        response.headers['content-type']?.split(';')[0] ??
        (JSON.parse(bytes.toString()) as { mediaType?: string }).mediaType ??
        mediaTypes.manifest
      return { descriptor: { mediaType, digest, size: bytes.length }, bytes }
    })
  }

  /** A blob's bytes; a wrong length or digest is an error after the last one. */
  async *blob(repository: string, content: Descriptor): AsyncGenerator<Uint8Array> {
    const what = `pulling ${repository}@${content.digest}`
    const response = await this.#retrying(async () => {
      const answer = await this.#send(`/${repository}/blobs/${content.digest}`, pull(repository), {})
      if (answer.status !== 200) throw this.#refusal(what, answer, await readText(answer))
      return answer
    })
    const hash = createHash('sha256')
    try {
      for await (const chunk of response.body) {
        hash.update(chunk as Buffer)
        yield chunk as Buffer
      }
    } catch (error) {
      throw fail(
        'KX_REGISTRY',
        { registry: this.registry, what, why: error instanceof Error ? error.message : String(error) },
        { cause: error },
      )
    }
    const got = `sha256:${hash.digest('hex')}`
    if (got !== content.digest) throw fail('KX_CHECKSUM', { what: `${this.registry}/${repository}`, expected: content.digest, got })
  }

  async hasBlob(repository: string, digest: string): Promise<boolean> {
    const response = await this.#retrying(() => this.#send(`/${repository}/blobs/${digest}`, push(repository), { method: 'HEAD' }))
    response.body.resume()
    if (response.status !== 200 && response.status !== 404) throw this.#refusal(`looking for ${digest}`, response, '')
    return response.status === 200
  }

  /** Makes a blob of one repository known in another without sending it; false when the registry would rather have the bytes. */
  async mountBlob(repository: string, digest: string, from: string): Promise<boolean> {
    const response = await this.#send(
      `/${repository}/blobs/uploads/?mount=${digest}&from=${encodeURIComponent(from)}`,
      `${push(repository)} ${pull(from)}`,
      { method: 'POST' },
    )
    response.body.resume()
    return response.status === 201
  }

  /** Sends a blob whole; `open` is called again for another attempt. */
  async putBlob(repository: string, content: Descriptor, open: () => AsyncIterable<Uint8Array>): Promise<void> {
    const what = `pushing ${repository}@${content.digest}`
    await this.#retrying(async () => {
      const started = await this.#send(`/${repository}/blobs/uploads/`, push(repository), {
        method: 'POST',
        headers: { 'content-length': '0' },
      })
      const why = await readText(started)
      const { location } = started.headers
      if (started.status !== 202 || location === undefined) throw this.#refusal(what, started, why)
      const target = new URL(location, started.url)
      target.searchParams.set('digest', content.digest)
      const headers = { 'content-type': 'application/octet-stream', 'content-length': String(content.size) }
      const ended = await this.#send(target.href, push(repository), { method: 'PUT', headers, body: open() })
      const text = await readText(ended)
      if (ended.status !== 201) throw this.#refusal(what, ended, text)
    })
  }

  /** Stores a manifest under a tag, or under its own digest when that is the reference. */
  async putManifest(repository: string, reference: string, mediaType: string, bytes: Uint8Array): Promise<void> {
    await this.#retrying(async () => {
      const headers = { 'content-type': mediaType, 'content-length': String(bytes.length) }
      const response = await this.#send(`/${repository}/manifests/${reference}`, push(repository), { method: 'PUT', headers, body: bytes })
      const text = await readText(response)
      if (response.status !== 201) throw this.#refusal(`pushing ${repository}:${reference}`, response, text)
    })
  }

  [Symbol.dispose](): void {
    this.#http[Symbol.dispose]()
  }

  /** One request with the right credentials: those of before, or those the registry asks for now. */
  async #send(path: string, scope: string, request: HttpRequest): Promise<HttpResponse> {
    const url = path.startsWith('http') ? path : `${this.#base}${path}`
    const known = this.#auth.header(scope)
    const signal = this.#signal === undefined ? {} : { signal: this.#signal }
    const attempt = (authorization: string | undefined): Promise<HttpResponse> =>
      this.#http.request(url, {
        ...request,
        ...signal,
        headers: { ...request.headers, ...(authorization === undefined ? {} : { authorization }) },
      })
    const first = await attempt(known)
    const challenge = first.headers['www-authenticate']
    // A stream is spent after one attempt; the request that opened its upload has already been answered, so its rights are known.
    if (first.status !== 401 || challenge === undefined || isStream(request.body)) return first
    first.body.resume()
    return await attempt(await this.#auth.answer(challenge, scope, this.#signal))
  }

  #refusal(what: string, response: HttpResponse, text: string, image: string | null = null): KubexmError {
    if (response.status === 404 && image !== null) return fail('KX_IMAGE_MISSING', { registry: this.registry, image }, { seen: text })
    const why = `it answered ${response.status}${reasonIn(text)}`
    if (response.status === 401 || response.status === 403) return fail('KX_REGISTRY_AUTH', { registry: this.registry, what, why })
    if (response.status < 500 && response.status !== 429 && response.status !== 408)
      return fail('KX_DOWNLOAD_REFUSED', { url: response.url, status: response.status }, { seen: text })
    return fail('KX_REGISTRY', { registry: this.registry, what, why }, { seen: text })
  }

  async #retrying<T>(work: () => Promise<T>): Promise<T> {
    for (let failures = 1; ; failures++) {
      try {
        return await work()
      } catch (thrown) {
        this.#signal?.throwIfAborted()
        const why = thrown instanceof Error ? thrown.message : String(thrown)
        const error =
          thrown instanceof KubexmError
            ? thrown
            : fail('KX_REGISTRY', { registry: this.registry, what: 'a request', why }, { cause: thrown })
        if (!error.retryable || failures >= attempts || isCertificateError(thrown)) throw error
        await this.#clock.sleep(250 * 2 ** failures, this.#signal)
      }
    }
  }
}

const imageIn = (repository: string, reference: string): string => `${repository}${reference.startsWith('sha256:') ? '@' : ':'}${reference}`

const pull = (repository: string): string => `repository:${repository}:pull`
const push = (repository: string): string => `repository:${repository}:pull,push`

const isStream = (body: HttpRequest['body']): boolean => body !== undefined && typeof body !== 'string' && !(body instanceof Uint8Array)

/** Registries explain themselves in `{"errors":[{"code","message"}]}`. */
function reasonIn(text: string): string {
  try {
    const { errors = [] } = JSON.parse(text) as { errors?: readonly { code?: string; message?: string }[] }
    return errors.length === 0 ? '' : `: ${errors.map(({ code = '', message = '' }) => `${code} ${message}`.trim()).join('; ')}`
  } catch {
    // Not JSON (a proxy's error page): the status alone must do, the text is in `seen`.
    return ''
  }
}
