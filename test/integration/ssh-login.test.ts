import { execFileSync, spawn } from 'node:child_process'
import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SshLogin, type SshOptions, sshConnector, sshCryptoIsNative } from '../../src/connector/index.ts'
import { Secret } from '../../src/util/secret.ts'
import { patient, ran, refusal } from '../support/ssh-exec.ts'
import { makeKey, startSshd, type TestSshd } from '../support/sshd.ts'

const password = new Secret("p'a ss$\\word")
let sshd: TestSshd

beforeAll(async () => {
  sshd = await startSshd({
    config:
      'PasswordAuthentication yes\nKbdInteractiveAuthentication yes\nMatch User kxtest-kbd\n  PasswordAuthentication no\nMatch User kxtest-both\n  AuthenticationMethods password,publickey',
  })
  await using root = await sshConnector(sshd.options()).connect(patient())
  for (const user of ['kxtest-pass', 'kxtest-kbd', 'kxtest-both', 'kxtest-key', 'kxtest-shut']) {
    const made = await ran(root, `useradd -m -s ${user === 'kxtest-shut' ? '/usr/sbin/nologin' : '/bin/bash'} ${user} && chpasswd`, {
      stdin: `${user}:${password.reveal()}\n`,
    })
    expect(made).toMatchObject({ code: 0 })
  }
})
afterAll(() => sshd[Symbol.asyncDispose]())

const login = (change: Partial<SshLogin>): Partial<SshOptions> => ({
  target: { address: '127.0.0.1', port: sshd.port, user: 'kxtest-key', agent: false, ...change },
})
const whoAmI = async (options: Partial<SshOptions>): Promise<string> => {
  await using connection = await sshConnector(sshd.options(options)).connect(patient())
  return (await ran(connection, 'id -un')).stdout.trim()
}
const accept = (publicKey: string): void => appendFileSync(join(sshd.directory, 'authorized_keys'), readFileSync(publicKey))

describe('logging in', () => {
  it('runs on native crypto', () => expect(sshCryptoIsNative()).toBe(true))

  it('with a password', async () => {
    expect(await whoAmI(login({ user: 'kxtest-pass', password }))).toBe('kxtest-pass')
    expect(sshd.log()).toContain('Accepted password for kxtest-pass')
  })

  it('by keyboard-interactive, where the server takes nothing else', async () => {
    expect(await whoAmI(login({ user: 'kxtest-kbd', password }))).toBe('kxtest-kbd')
    expect(sshd.log()).toContain('Accepted keyboard-interactive/pam for kxtest-kbd')
  })

  it('with password and key together', async () => {
    expect(await whoAmI(login({ user: 'kxtest-both', password, privateKeyPath: sshd.keyPath }))).toBe('kxtest-both')
  })

  it.each(['ed25519', 'ecdsa', 'rsa'])('with an %s key', async (type) => {
    const key = makeKey(sshd.directory, `key-${type}`, { type })
    accept(`${key}.pub`)
    expect(await whoAmI(login({ privateKeyPath: key }))).toBe('kxtest-key')
    expect(await whoAmI(login({ privateKey: new Secret(readFileSync(key, 'utf8')) }))).toBe('kxtest-key')
  })

  it('with an encrypted key, and says so when the passphrase is missing or wrong', async () => {
    const key = makeKey(sshd.directory, 'locked', { passphrase: 'open sesame' })
    accept(`${key}.pub`)
    expect(await whoAmI(login({ privateKeyPath: key, passphrase: new Secret('open sesame') }))).toBe('kxtest-key')
    expect(await refusal(whoAmI(login({ privateKeyPath: key })))).toMatchObject({
      code: 'KX_SSH_KEY',
      params: { why: 'it is encrypted and no passphrase is given' },
    })
    expect(await refusal(whoAmI(login({ privateKeyPath: key, passphrase: new Secret('no') })))).toMatchObject({ code: 'KX_SSH_KEY' })
  })

  it('with an agent', async () => {
    const key = makeKey(sshd.directory, 'in-agent')
    accept(`${key}.pub`)
    const socket = join(sshd.directory, 'agent.sock')
    const agent = spawn('ssh-agent', ['-D', '-a', socket], { stdio: 'ignore' })
    const before = process.env.SSH_AUTH_SOCK
    try {
      await expect
        .poll(() => {
          try {
            execFileSync('ssh-add', ['-q', key], { env: { ...process.env, SSH_AUTH_SOCK: socket }, stdio: 'ignore' })
            return true
          } catch {
            return false
          }
        })
        .toBe(true)
      process.env.SSH_AUTH_SOCK = socket
      expect(await whoAmI(login({ agent: true }))).toBe('kxtest-key')
    } finally {
      agent.kill()
      if (before === undefined) delete process.env.SSH_AUTH_SOCK
      else process.env.SSH_AUTH_SOCK = before
    }
  })

  it.each(['ed25519', 'ecdsa', 'rsa'])('with an OpenSSH certificate of an %s key that is in no authorized_keys', async (type) => {
    const directory = join(sshd.directory, `ca-${type}`)
    mkdirSync(directory)
    const ca = makeKey(directory, 'ca')
    const key = makeKey(directory, 'key', { type })
    execFileSync('ssh-keygen', ['-q', '-s', ca, '-I', 'test', '-n', 'kxtest-key', `${key}.pub`])
    await using other = await startSshd({ config: `TrustedUserCAKeys ${ca}.pub`, share: directory })
    await using root = await sshConnector(other.options()).connect(patient())
    await ran(root, 'useradd -m -s /bin/bash kxtest-key && passwd -d kxtest-key')
    const target = { address: '127.0.0.1', port: other.port, user: 'kxtest-key', privateKeyPath: key, agent: false }
    await using connection = await sshConnector(other.options({ target: { ...target, certificatePath: `${key}-cert.pub` } })).connect(
      patient(),
    )
    expect((await ran(connection, 'id -un')).stdout).toBe('kxtest-key\n')
    expect(other.log()).toMatch(/Accepted publickey for kxtest-key .*-CERT/)
  })

  it('through a chain of jump hosts', async () => {
    const hop = { address: '127.0.0.1', port: sshd.port, user: 'root', privateKeyPath: sshd.keyPath, agent: false }
    await using connection = await sshConnector(
      sshd.options({ jumps: [hop, { ...hop, user: 'kxtest-key' }], target: { ...hop, user: 'kxtest-pass' } }),
    ).connect(patient())
    expect((await ran(connection, 'id -un')).stdout).toBe('kxtest-pass\n')
    const broken = await refusal(sshConnector(sshd.options({ jumps: [hop], target: { ...hop, port: 1 } })).connect(patient()))
    expect(broken).toMatchObject({ code: 'KX_CONNECT_JUMP', params: { jump: '127.0.0.1', port: 1 } })
  })

  it('as ~/.ssh/config says: name, user, port, key, jump host and included files', async () => {
    const config = join(sshd.directory, 'client_config')
    writeFileSync(`${config}.hosts`, `Host door\n  HostName 127.0.0.1\n  Port ${sshd.port}\n  User root\n`)
    writeFileSync(
      config,
      `Include client_config.hosts\nHost inner\n  HostName 127.0.0.1\n  Port ${sshd.port}\n  User kxtest-key\n  ProxyJump door\nHost *\n  IdentityFile ${sshd.keyPath}\n`,
    )
    expect(await whoAmI({ target: { address: 'inner', port: 0, user: '', agent: false }, sshConfigFile: config })).toBe('kxtest-key')
    expect(await whoAmI({ target: { address: 'inner', port: 0, user: 'kxtest-pass', agent: false }, sshConfigFile: config })).toBe(
      'kxtest-pass',
    )
  })
})

describe('not being let in', () => {
  it('names the methods tried and those the server takes', async () => {
    const error = await refusal(whoAmI(login({ user: 'kxtest-pass', password: new Secret('wrong') })))
    expect(error).toMatchObject({ code: 'KX_AUTH', retryable: false, exitCode: 11 })
    expect(error.params.tried).toBe('password')
    expect(error.params.accepted).toContain('publickey')
    expect(JSON.stringify(error) + error.message + error.fix).not.toContain('wrong')
  })

  it('says when the key file is missing, and when there is nothing to try', async () => {
    expect(await refusal(whoAmI(login({ privateKeyPath: '/nowhere/key' })))).toMatchObject({ code: 'KX_SSH_KEY' })
    const config = join(sshd.directory, 'empty_config')
    writeFileSync(config, 'Host *\n  IdentityFile /nowhere/key\n')
    expect((await refusal(whoAmI({ ...login({}), sshConfigFile: config }))).params.tried).toMatch(/^nothing/)
  })

  it('says when the login shell runs no commands', async () => {
    const error = await refusal(whoAmI(login({ user: 'kxtest-shut', password })))
    expect(error).toMatchObject({ code: 'KX_LOGIN_SHELL', params: { user: 'kxtest-shut' } })
    expect(String(error.params.why)).toContain('not available')
  })

  it('refuses a key file that is a public key', async () => {
    chmodSync(`${sshd.keyPath}.pub`, 0o600)
    expect(await refusal(whoAmI(login({ privateKeyPath: `${sshd.keyPath}.pub` })))).toMatchObject({
      code: 'KX_SSH_KEY',
      params: { why: 'it is a public key' },
    })
  })
})
