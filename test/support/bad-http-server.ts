import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the server does with one request. */
export type Behaviour =
  | { readonly kind: 'honest' }
  /** Sends so many bytes of the body, then closes the connection. */
  | { readonly kind: 'cut'; readonly after: number }
  /** Sends so many bytes of the body, then nothing more, and keeps the connection. */
  | { readonly kind: 'stall'; readonly after: number }
  /** Announces so many bytes more (or fewer) than it has. */
  | { readonly kind: 'lie'; readonly by: number }
  /** The right length, other bytes. */
  | { readonly kind: 'wrong-bytes' }
  | { readonly kind: 'status'; readonly status: number }
  | { readonly kind: 'redirect'; readonly to: string }
  /** Answers a range with the whole file. */
  | { readonly kind: 'no-ranges' }
  /** Answers a range with another one than asked for. */
  | { readonly kind: 'other-range' }
  /** Serves other content, with another ETag, from now on. */
  | { readonly kind: 'replaced'; readonly body: Uint8Array }

/** One request the server saw. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly range: string | undefined
  readonly authorization: string | undefined
}

/** A real HTTP server that behaves as badly as it is told: one behaviour a request, the last one for all that follow. */
export class BadHttpServer implements AsyncDisposable {
  readonly url: string
  readonly seen: SeenRequest[] = []
  readonly #server: ReturnType<typeof createServer>
  readonly #files: Map<string, { body: Uint8Array; behaviours: Behaviour[] }>

  private constructor(server: ReturnType<typeof createServer>, files: Map<string, { body: Uint8Array; behaviours: Behaviour[] }>) {
    this.#server = server
    this.#files = files
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.#answer(request, response))
  }

  static async start(): Promise<BadHttpServer> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new BadHttpServer(server, new Map())
  }

  /** Offers a file; gives its address. */
  serve(path: string, body: Uint8Array, ...behaviours: readonly Behaviour[]): string {
    this.#files.set(path, { body, behaviours: [...behaviours] })
    return `${this.url}${path}`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '/'
    this.seen.push({ method: request.method ?? '', path, range: request.headers.range, authorization: request.headers.authorization })
    const file = this.#files.get(path)
    if (file === undefined) return void response.writeHead(404).end()
    const behaviour = file.behaviours.length > 1 ? file.behaviours.shift() : (file.behaviours[0] ?? { kind: 'honest' })
    if (behaviour === undefined) return void response.writeHead(500).end()
    if (behaviour.kind === 'status') return void response.writeHead(behaviour.status).end()
    if (behaviour.kind === 'redirect') return void response.writeHead(302, { location: behaviour.to }).end()
    if (behaviour.kind === 'replaced') file.body = behaviour.body
    sendFile(request, response, behaviour.kind === 'wrong-bytes' ? file.body.map((byte) => byte ^ 0xff) : file.body, behaviour)
  }
}

function sendFile(request: IncomingMessage, response: ServerResponse, body: Uint8Array, behaviour: Behaviour): void {
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`
  const [, asked] = /^bytes=(\d+)-$/.exec(request.headers.range ?? '') ?? []
  const mayResume = asked !== undefined && request.headers['if-range'] === etag && behaviour.kind !== 'no-ranges'
  const start = !mayResume ? 0 : behaviour.kind === 'other-range' ? Math.max(0, Number(asked) - 7) : Number(asked)
  if (mayResume && start >= body.length) return void response.writeHead(416, { 'content-range': `bytes */${body.length}` }).end()
  const part = body.subarray(start)
  const announced = part.length + (behaviour.kind === 'lie' ? behaviour.by : 0)
  const headers = { etag, 'accept-ranges': 'bytes', 'content-length': announced }
  const { socket } = response
  if (mayResume) response.writeHead(206, { ...headers, 'content-range': `bytes ${start}-${body.length - 1}/${body.length}` })
  else response.writeHead(200, headers)
  if (request.method === 'HEAD') return void response.end()
  if (
    behaviour.kind === 'honest' ||
    behaviour.kind === 'wrong-bytes' ||
    behaviour.kind === 'no-ranges' ||
    behaviour.kind === 'other-range' ||
    behaviour.kind === 'replaced'
  )
    return void response.end(part)
  // From here on the protocol is broken on purpose, which the response object would not do.
  const end = behaviour.kind === 'cut' || behaviour.kind === 'stall' ? behaviour.after : part.length
  response.flushHeaders()
  socket?.write(part.subarray(0, end), () => {
    if (behaviour.kind !== 'stall') socket.end()
  })
}
