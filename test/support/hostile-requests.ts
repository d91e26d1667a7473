import { connect } from 'node:net'
import fc from 'fast-check'
import { portableConfig } from './api.ts'

/** A request that must not get anywhere. */
export interface HostileRequest {
  readonly kind: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

const base = { method: 'POST', path: '/api/v1/clusters?rehearse=true', headers: { 'content-type': 'application/yaml' }, body: null }
const one = (kind: string, given: Partial<HostileRequest>): HostileRequest => ({ kind, ...base, ...given })

/** Texts no person writes: control characters, look-alikes, markup, quotes, paths, statements. */
const nasty = fc.oneof(
  fc.constantFrom(
    '../../etc/passwd',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e%2f',
    "' OR '1'='1",
    '"; DROP TABLE jobs; --',
    '<script>alert(1)</script>',
    '\u202e\u0007',
    '{{7*7}}',
    '%00',
    '__proto__',
    'constructor',
    '-1',
    '1e309',
    'NaN',
    '٣',
    '💥',
  ),
  fc.string({ unit: 'binary', maxLength: 60 }),
)

/** What a header may carry on the wire. */
const headerSafe = (text: string): string => text.replaceAll(/[^\x21-\x7e]/g, '').slice(0, 300)

const brokenConfigs = fc.oneof(
  fc.constantFrom(
    '',
    '\0',
    '{',
    '[',
    '- - - - -',
    'a: b: c',
    '&a [*a, *a]',
    '{"__proto__": {"x": 1}}',
    '--- a\n--- b',
    '!!js/function "x"',
    '\ufeff\ufeff',
    '? ? ?',
    '%YAML 9.9\n---\n',
  ),
  fc.integer({ min: 50, max: 3000 }).map((depth) => `${'['.repeat(depth)}${']'.repeat(depth)}`),
  fc.integer({ min: 50, max: 2000 }).map((depth) => Array.from({ length: depth }, (_, i) => `${' '.repeat(i)}a:`).join('\n')),
  fc
    .integer({ min: 5, max: 40 })
    .map((levels) =>
      ['a0: &a0 [x,x,x,x,x,x,x,x,x]', ...Array.from({ length: levels }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)].join(
        '\n',
      ),
    ),
  fc.string({ unit: 'binary', maxLength: 2000 }),
  nasty.map((text) => portableConfig().replace('node1,', `${JSON.stringify(text)},`)),
  nasty.map((text) => portableConfig().replace('lab', JSON.stringify(`${text}/`))),
  nasty.map((text) => portableConfig().replace('hunter2secret', `{file: ${JSON.stringify(text)}}`)),
  nasty.map((text) => portableConfig().replace('hunter2secret', `{env: ${JSON.stringify(text)}}`)),
  fc
    .constantFrom('type: local', 'privateKeyPath: /etc/shadow')
    .map((line) => portableConfig().replace('address: 10.77.0.1', `address: 10.77.0.1, ${line}`)),
)

/** Requests of all kinds of ill will, each with the token it would use. */
export const hostileRequest = (tokens: {
  readonly viewer: string
  readonly admin: string
  readonly expired: string
}): fc.Arbitrary<HostileRequest> => {
  const as = (token: string, headers: Readonly<Record<string, string>> = {}) => ({
    ...base.headers,
    authorization: `Bearer ${token}`,
    ...headers,
  })
  const valid = portableConfig()
  return fc.oneof(
    { weight: 4, arbitrary: brokenConfigs.map((body) => one('a broken config', { headers: as(tokens.admin), body })) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('viewer', 'expired')
        .map((who) => one(`the token of ${who}`, { headers: as(who === 'viewer' ? tokens.viewer : tokens.expired), body: valid })),
    },
    {
      weight: 2,
      arbitrary: nasty.map((text) =>
        one('a made-up token', { headers: { ...base.headers, authorization: `Bearer ${headerSafe(text)}` }, body: valid }),
      ),
    },
    {
      weight: 1,
      arbitrary: nasty.map((text) =>
        one('a made-up cookie', { headers: { ...base.headers, cookie: `kubexm_session=${headerSafe(text)}` }, body: valid }),
      ),
    },
    {
      weight: 1,
      arbitrary: nasty.map((text) =>
        one('an odd key', { headers: as(tokens.admin, { 'idempotency-key': `${headerSafe(text)} with blanks` }), body: valid }),
      ),
    },
    {
      weight: 1,
      arbitrary: nasty.map((text) =>
        one('an odd type', { headers: as(tokens.admin, { 'content-type': headerSafe(text) || 'x/y' }), body: valid }),
      ),
    },
    {
      weight: 3,
      arbitrary: fc
        .tuple(
          fc.constantFrom('jobs', 'clusters', 'tokens'),
          nasty,
          fc.constantFrom('', '/graph', '/events', '/logs', '/config', '/cancel'),
        )
        .map(([noun, text, rest]) =>
          one('an odd path', {
            method: rest === '/cancel' ? 'POST' : 'GET',
            path: `/api/v1/${noun}/${encodeURIComponent(text.toWellFormed())}${rest}`,
            headers: { authorization: `Bearer ${tokens.admin}` },
          }),
        ),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom('jobs?after=', 'jobs?limit=', 'jobs?status=', 'clusters?limit=', 'audit?after=', 'jobs?x='), nasty)
        .map(([query, text]) =>
          one('an odd query', {
            method: 'GET',
            path: `/api/v1/${query}${encodeURIComponent(text.toWellFormed())}`,
            headers: { authorization: `Bearer ${tokens.admin}` },
          }),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          '/%',
          '/%zz',
          '//etc/passwd',
          '/..%2f..%2f..%2fetc%2fpasswd',
          '/api/v1/../../etc/passwd',
          '/api/v1/jobs/%00',
          '/.env',
          '/api/v1/clusters/%2e%2e',
        )
        .map((path) => one('a path trick', { method: 'GET', path, headers: { authorization: `Bearer ${tokens.admin}` } })),
    },
    {
      weight: 2,
      arbitrary: fc
        .json()
        .map((body) =>
          one('an odd token request', { path: '/api/v1/tokens', headers: as(tokens.admin, { 'content-type': 'application/json' }), body }),
        ),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND')
        .map((method) => one('an odd method', { method, headers: as(tokens.admin), body: method === 'OPTIONS' ? null : valid })),
    },
  )
}

/** Sends bytes as they are and gives the status of the answer; null when the server just hung up. */
export function sendRaw(port: number, bytes: string): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.setTimeout(5000, () => socket.destroy())
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
      const status = /^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]
      if (status === undefined) return
      socket.destroy()
      resolve(Number(status))
    })
    socket.on('close', () => resolve(null))
    socket.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ECONNRESET' || error.code === 'EPIPE' ? resolve(null) : reject(error),
    )
  })
}

/** What is not HTTP, or only half of it. */
export const notQuiteHttp: readonly string[] = [
  '\0\0\0\0',
  'GET\r\n\r\n',
  'GET / HTTP/9.9\r\n\r\n',
  'GET /healthz HTTP/1.1\r\n\r\n',
  `GET /healthz HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(100_000)}\r\n\r\n`,
  `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  'POST /api/v1/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  'POST /api/v1/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n',
  'POST /api/v1/clusters HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999\r\n\r\nx',
  'POST /api/v1/session HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{"t',
  'CONNECT evil.example:443 HTTP/1.1\r\nHost: x\r\n\r\n',
]
