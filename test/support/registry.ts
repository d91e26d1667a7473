import { createPrivateKey, sign } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeMirror, type RegistryServer, startRegistry } from '../../src/lab/mirror/index.ts'
import { selfSigned } from './openssl.ts'

/** The user every test registry with a password file knows. */
export const registryUser = { username: 'lab', password: 's3cret' } as const
/** bcrypt of the password above: the registry takes no other kind of hash. */
const htpasswdLine = 'lab:$2y$05$abcdefghijklmnopqrstuuLK7U1u6pVRmL7L1BBM2aS35PSZnDXlK\n'

/** The real registry program, made on the first use on this machine. */
export async function registryProgram(): Promise<string> {
  const report = await makeMirror({ source: 'build', only: (item) => item.startsWith('registry@') })
  const path = report.records[0]?.outputs[0]?.path
  if (path === undefined) throw new Error(`no registry: ${report.failed.map(({ error }) => error.message).join('; ')}`)
  return path
}

/** A registry of a test's own, with what it needs around it. */
export interface TestRegistry extends AsyncDisposable {
  readonly address: string
  readonly directory: string
  /** The certificate (PEM) it shows, when it speaks TLS. */
  readonly ca: string
}

/** Starts the real registry on loopback: open, with a password, or with tokens from a service beside it; plain or with TLS. */
export async function testRegistry(kind: { readonly auth?: 'basic' | 'token'; readonly tls?: true } = {}): Promise<TestRegistry> {
  await using stack = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-registry-'))
  stack.defer(() => rm(directory, { recursive: true, force: true }))
  const tls = selfSigned(directory)
  const htpasswd = join(directory, 'htpasswd')
  await writeFile(htpasswd, htpasswdLine)
  const tokens = kind.auth === 'token' ? stack.use(await tokenService(tls)) : null
  const server: RegistryServer = {
    program: await registryProgram(),
    storage: join(directory, 'storage'),
    work: directory,
    address: '127.0.0.1:0',
    ...(kind.tls ? { tls } : {}),
    ...(kind.auth === 'basic' ? { htpasswd } : {}),
    ...(tokens === null ? {} : { token: { realm: tokens.url, service: 'test', issuer: 'kubexm-test', rootCertificates: tls.certificate } }),
  }
  const { address } = stack.use(await startRegistry(server))
  const ca = await readFile(tls.certificate, 'utf8')
  const running = stack.move()
  return { address, directory, ca, [Symbol.asyncDispose]: () => running.disposeAsync() }
}

/** Gives out tokens for what is asked, to who knows the password: what a hosted registry has beside it. */
async function tokenService(tls: {
  readonly certificate: string
  readonly key: string
}): Promise<AsyncDisposable & { readonly url: string }> {
  const [certificate, key] = await Promise.all([readFile(tls.certificate, 'utf8'), readFile(tls.key, 'utf8')])
  const x5c = [certificate.replace(/-----[^-]+-----|\s/g, '')]
  const expected = `Basic ${Buffer.from(`${registryUser.username}:${registryUser.password}`).toString('base64')}`
  const server = createServer((request, response) => {
    if (request.headers.authorization !== expected) return void response.writeHead(401).end()
    const asked = new URL(request.url ?? '', 'http://x').searchParams
    const access = (asked.get('scope') ?? '').split(' ').flatMap((scope) => {
      const [type = '', name = '', actions = ''] = scope.split(':')
      return type === '' ? [] : [{ type, name, actions: actions.split(',') }]
    })
    const now = Math.floor(Date.now() / 1000)
    const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
    const signed = `${part({ alg: 'ES256', typ: 'JWT', x5c })}.${part({ iss: 'kubexm-test', sub: 'lab', aud: asked.get('service'), exp: now + 60, nbf: now - 60, iat: now, jti: '1', access })}`
    const signature = sign('sha256', Buffer.from(signed), { key: createPrivateKey(key), dsaEncoding: 'ieee-p1363' }).toString('base64url')
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ token: `${signed}.${signature}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/token`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
