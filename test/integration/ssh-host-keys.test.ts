import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SshOptions, sshConnector } from '../../src/connector/index.ts'
import { patient, ran, refusal } from '../support/ssh-exec.ts'
import { freePort, makeKey, startSshd, type TestSshd } from '../support/sshd.ts'

let sshd: TestSshd
beforeAll(async () => {
  sshd = await startSshd()
})
afterAll(() => sshd[Symbol.asyncDispose]())

const connects = async (options: SshOptions): Promise<string> => {
  await using connection = await sshConnector(options).connect(patient())
  return (await ran(connection, 'echo here')).stdout
}
const at = (address: string, port: number): Partial<SshOptions> => ({
  target: { address, port, user: 'root', privateKeyPath: sshd.keyPath, agent: false },
})

describe('the host key', () => {
  it('is pinned at first use and kept, also by many first connections at once', async () => {
    const pinFile = join(sshd.directory, 'first-pins')
    await Promise.all(Array.from({ length: 5 }, () => connects(sshd.options({ pinFile }))))
    expect(readFileSync(pinFile, 'utf8')).toBe(
      `[127.0.0.1]:${sshd.port} ${readFileSync(join(sshd.directory, 'host.pub'), 'utf8').split(' ').slice(0, 2).join(' ')}\n`,
    )
  })

  it('that changed is refused, and the fix named works', async () => {
    const pinFile = join(sshd.directory, 'old-pins')
    const other = makeKey(sshd.directory, 'other-host')
    const line = (key: string): string =>
      `[127.0.0.1]:${sshd.port} ${readFileSync(`${key}.pub`, 'utf8').split(' ').slice(0, 2).join(' ')}\n`
    writeFileSync(pinFile, `# kept\n${line(other)}`)
    const error = await refusal(connects(sshd.options({ pinFile })))
    expect(error).toMatchObject({ code: 'KX_HOST_KEY_CHANGED', retryable: false, params: { file: pinFile, line: 2 } })
    const shown = execFileSync('ssh-keygen', ['-lf', join(sshd.directory, 'host.pub')], { encoding: 'utf8' }).split(' ')[1]
    expect(error.params.fingerprint).toBe(shown)
    expect(readFileSync(pinFile, 'utf8')).toBe(`# kept\n${line(other)}`)
    execFileSync('sh', ['-c', error.fix.slice(error.fix.indexOf('ssh-keygen'))], { stdio: 'ignore' })
    expect(await connects(sshd.options({ pinFile }))).toBe('here\n')
  })

  it('is found in a known_hosts with hashed names, and then not pinned', async () => {
    const knownHosts = join(sshd.directory, 'known_hosts')
    const pinFile = join(sshd.directory, 'unused-pins')
    writeFileSync(
      knownHosts,
      execFileSync('ssh-keyscan', ['-H', '-p', String(sshd.port), '127.0.0.1'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }),
    )
    expect(readFileSync(knownHosts, 'utf8')).toContain('|1|')
    expect(await connects(sshd.options({ knownHosts: [knownHosts], pinFile, unknownHostKeys: 'refuse' }))).toBe('here\n')
    expect(() => readFileSync(pinFile)).toThrow()
    rmSync(knownHosts)
    expect(await refusal(connects(sshd.options({ knownHosts: [knownHosts], pinFile, unknownHostKeys: 'refuse' })))).toMatchObject({
      code: 'KX_HOST_KEY_UNKNOWN',
    })
  })
})

describe('a machine that is not there', () => {
  it('refuses', async () => {
    const error = await refusal(connects(sshd.options(at('127.0.0.1', await freePort()))))
    expect(error).toMatchObject({ code: 'KX_CONNECT_REFUSED', retryable: true, exitCode: 11 })
  })

  it('has no name', async () => {
    expect(await refusal(connects(sshd.options(at('no-such-host.invalid', 22))))).toMatchObject({ code: 'KX_CONNECT_DNS' })
  })

  it('takes the connection and never answers', async () => {
    const server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    try {
      const error = await refusal(connects({ ...sshd.options(at('127.0.0.1', port)), connectTimeout: 300 }))
      expect(error).toMatchObject({ code: 'KX_CONNECT_TIMEOUT', retryable: true, params: { limit: '300 ms' } })
      const stop = AbortSignal.timeout(100)
      await expect(sshConnector(sshd.options(at('127.0.0.1', port))).connect(stop)).rejects.toMatchObject({ name: 'TimeoutError' })
    } finally {
      server.close()
    }
  })

  it('hangs up in the very moment it has taken the connection, as a host that dies', async () => {
    const server = createServer((socket) => socket.resetAndDestroy())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const options = sshd.options(at('127.0.0.1', (server.address() as { port: number }).port))
      const errors = await Promise.all(Array.from({ length: 20 }, () => refusal(connects(options))))
      expect(new Set(errors.map(({ code }) => code))).toEqual(new Set(['KX_CONNECTION_LOST']))
    } finally {
      server.close()
    }
  })

  it('is no SSH server', async () => {
    const server = createServer((socket) => socket.end('HTTP/1.0 400 Bad Request\r\n\r\n'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const error = await refusal(connects(sshd.options(at('127.0.0.1', (server.address() as { port: number }).port))))
      expect(['KX_CONNECT_PROTOCOL', 'KX_CONNECTION_LOST']).toContain(error.code)
    } finally {
      server.close()
    }
  })
})
