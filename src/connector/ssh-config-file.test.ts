import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SshLogin } from './connection.ts'
import { parseJump, resolveRoute } from './ssh-config-file.ts'

let directory: string
let file: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'kxtest-config-'))
  file = join(directory, 'config')
  writeFileSync(join(directory, 'extra'), 'Host extra\n  Hostname extra.example.org\n')
  writeFileSync(
    file,
    `Include extra
Host inner
  HostName %h.example.org
  user admin
  Port 2222
  IdentityFile ~/.ssh/%r-%h-%p
  ProxyJump jump1,ops@[fd00::9]:24
Host jump1
  HostName 10.0.0.1
  ProxyJump outer
Host outer
  User gate
Host loop
  ProxyJump loop
Host direct
  ProxyJump none
Host *
  CertificateFile /etc/cert.pub
`,
  )
})
afterAll(() => rmSync(directory, { recursive: true }))
const login = (address: string, change: Partial<SshLogin> = {}): SshLogin => ({ address, port: 0, user: '', ...change })

describe('the SSH client configuration', () => {
  it('settles name, user, port and key', () => {
    expect(resolveRoute(login('inner'), [], file).target).toMatchObject({
      address: 'inner.example.org',
      user: 'admin',
      port: 2222,
      identityFiles: [join(homedir(), '.ssh/admin-inner-2222')],
      certificatePath: '/etc/cert.pub',
    })
  })

  it('gives way to what the login says itself', () => {
    const { target, jumps } = resolveRoute(login('inner', { user: 'root', port: 22, certificatePath: '/own' }), [login('10.9.9.9')], file)
    expect(target).toMatchObject({ user: 'root', port: 22, certificatePath: '/own' })
    expect(jumps.map((jump) => jump.address)).toEqual(['10.9.9.9'])
  })

  it('leads through jump hosts and the jump host of the first of them', () => {
    const { jumps } = resolveRoute(login('inner'), [], file)
    expect(jumps.map(({ address, port, user }) => [address, port, user])).toEqual([
      ['outer', 22, 'gate'],
      ['10.0.0.1', 22, userInfo().username],
      ['fd00::9', 24, 'ops'],
    ])
    expect(resolveRoute(login('direct'), [], file).jumps).toEqual([])
  })

  it('may include other files, be missing, or be left out', () => {
    expect(resolveRoute(login('extra'), [], file).target.address).toBe('extra.example.org')
    expect(resolveRoute(login('inner'), [], join(directory, 'none')).target).toMatchObject({
      address: 'inner',
      port: 22,
      identityFiles: [],
    })
    expect(resolveRoute(login('inner'), [], null).target).toMatchObject({ address: 'inner', port: 22, user: userInfo().username })
  })

  it('that leads in a circle is refused', () => {
    expect(() => resolveRoute(login('loop'), [], file)).toThrow(expect.objectContaining({ code: 'KX_SSH_CONFIG' }))
  })

  it.each([
    ['host', { user: '', address: 'host', port: 0 }],
    ['user@host:2222', { user: 'user', address: 'host', port: 2222 }],
    ['ssh://user@host:22', { user: 'user', address: 'host', port: 22 }],
    ['u@d@host', { user: 'u@d', address: 'host', port: 0 }],
    ['[fd00::1]:22', { user: '', address: 'fd00::1', port: 22 }],
    ['fd00::1', { user: '', address: 'fd00::1', port: 0 }],
  ])('reads %s', (text, expected) => expect(parseJump(text)).toEqual(expected))
})
