import { lookup } from 'node:dns'
import { type ClientRequest, Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'
import { type Millis, seconds } from '../util/time.ts'

/** How a server's certificate is judged, and ours shown. */
export interface TlsOptions {
  /** Certificates (PEM) to trust besides none other; the system's are used when it is not given. */
  readonly ca?: string
  /** Accept any certificate. */
  readonly insecure?: boolean
  readonly cert?: string
  readonly key?: string
}

/** One request. */
export interface HttpRequest {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A stream must come with its length in `content-length`. */
  readonly body?: Uint8Array | string | AsyncIterable<Uint8Array>
  readonly signal?: AbortSignal
  /** How many redirections are followed; only GET and HEAD follow any. */
  readonly redirects?: number
}

/** The answer; `body` must be read or destroyed. */
export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
  /** The address that answered in the end. */
  readonly url: string
}

/** The proxy variables a client obeys. */
export type ProxyEnvironment = Readonly<Record<string, string | undefined>>

/** Raised when nothing arrives for too long: an ordinary, retryable network failure. */
export class StallError extends Error {
  constructor(url: string, ms: Millis) {
    super(`nothing arrived from ${new URL(url).host} for ${ms} ms`)
    this.name = 'StallError'
  }
}

interface HttpOptions {
  readonly tls?: TlsOptions
  readonly proxy?: ProxyEnvironment
  readonly stall?: Millis
  /** Where every name leads to, without any proxy: for a server whose name nobody on this machine knows. */
  readonly address?: string
}

/** An HTTP client with its own connections, TLS settings and proxies. Node's global fetch can set none of these for one client alone. */
export class HttpClient implements Disposable {
  readonly #http: HttpAgent
  readonly #https: HttpsAgent
  readonly #stall: Millis

  constructor(options: HttpOptions = {}) {
    const { tls = {}, address } = options
    const proxyEnv = proxyVariables(address === undefined ? (options.proxy ?? process.env) : {})
    const reach = address === undefined ? {} : { lookup: leadingTo(address) }
    this.#stall = options.stall ?? seconds(30)
    this.#http = new HttpAgent({ keepAlive: true, proxyEnv, ...reach })
    this.#https = new HttpsAgent({
      keepAlive: true,
      proxyEnv,
      ...reach,
      rejectUnauthorized: tls.insecure !== true,
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: tls.key }),
    })
  }

  /** Sends a request; any status is an answer, only a broken connection is an error. */
  async request(url: string, request: HttpRequest = {}): Promise<HttpResponse> {
    const method = request.method ?? 'GET'
    let headers = request.headers ?? {}
    let target = url
    for (let left = request.redirects ?? 10; ; left--) {
      const answer = await this.#once(target, method, headers, request)
      const { location } = answer.headers
      const status = answer.statusCode ?? 0
      if (status < 300 || status > 399 || location === undefined || left <= 0 || (method !== 'GET' && method !== 'HEAD'))
        return { status, headers: answer.headers, body: answer, url: target }
      answer.resume()
      const next = new URL(location, target)
      // Credentials are for the host they were given for; object stores even refuse a request that carries foreign ones.
      if (next.host !== new URL(target).host)
        headers = Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization'))
      target = next.href
    }
  }

  #once(url: string, method: string, headers: Readonly<Record<string, string>>, request: HttpRequest): Promise<IncomingMessage> {
    const send = url.startsWith('https:') ? httpsRequest : httpRequest
    const agent = url.startsWith('https:') ? this.#https : this.#http
    return new Promise((resolve, reject) => {
      const outgoing = send(url, {
        method,
        headers: { 'user-agent': 'kubexm', ...headers },
        agent,
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      })
      let incoming: IncomingMessage | undefined
      outgoing.setTimeout(this.#stall, () => {
        const stalled = new StallError(url, this.#stall)
        // Told to the reader of the body first: from the request alone it would only learn "aborted".
        incoming?.destroy(stalled)
        outgoing.destroy(stalled)
      })
      outgoing.on('response', (response) => {
        incoming = response
        resolve(response)
      })
      outgoing.on('error', reject)
      sendBody(outgoing, request.body).catch((error: Error) => outgoing.destroy(error))
    })
  }

  [Symbol.dispose](): void {
    this.#http.destroy()
    this.#https.destroy()
  }
}

/** A name server that knows one answer. */
const leadingTo =
  (address: string): LookupFunction =>
  (_name, options, callback) =>
    lookup(address, options, callback)

async function sendBody(outgoing: ClientRequest, body: HttpRequest['body']): Promise<void> {
  if (body === undefined || typeof body === 'string' || body instanceof Uint8Array) {
    outgoing.end(body)
    return
  }
  for await (const chunk of body) {
    // The server may answer early (no right, blob known) and close: the response tells why, the rest need not be read.
    if (outgoing.destroyed) return
    if (!outgoing.write(chunk)) await new Promise<void>((resolve) => waitForRoom(outgoing, resolve))
  }
  outgoing.end()
}

function waitForRoom(outgoing: ClientRequest, resolve: () => void): void {
  const go = (): void => {
    outgoing.off('drain', go).off('close', go).off('error', go)
    resolve()
  }
  outgoing.on('drain', go).on('close', go).on('error', go)
}

/** Only the variables that exist: an undefined one would be taken for the text "undefined". */
function proxyVariables(environment: ProxyEnvironment): Record<string, string> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy']
  return Object.fromEntries(
    names.flatMap((name) => (environment[name] === undefined || environment[name] === '' ? [] : [[name, environment[name]]])),
  )
}

/** Reads a whole small answer. */
export async function readText(response: HttpResponse, limit = 8 << 20): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response.body) {
    size += (chunk as Buffer).length
    if (size > limit) throw new RangeError(`${response.url} answered more than ${limit} bytes`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks).toString()
}

/** Whether a request failed because the server's certificate is not trusted: trying again does not help. */
export const isCertificateError = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/.test(String(error.code))
