import { beforeEach, describe, expect, it } from 'vitest'
import { type Runner, sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { listensOn, SimulatedHost, simulatedBinary, tcp } from './index.ts'

let host: SimulatedHost
let on: Runner

beforeEach(async () => {
  host = new SimulatedHost({ daemons: { server: listensOn(tcp(8080)), other: listensOn(tcp(8080, '127.0.0.1')) } })
  on = host.runner()
  for (const [name, arch] of Object.entries({ server: 'amd64', other: 'amd64', foreign: 'arm64' }))
    putBinary(`/usr/local/bin/${name}`, name, arch)
})

const putBinary = (path: string, name: string, arch: string, mode = '0755'): void =>
  host.meddle((state) => writeFile(state, path, new Content(simulatedBinary(name, arch)), { mode }))
const putUnit = (name: string, service: string, rest = ''): Promise<void> =>
  on.files.write(`/etc/systemd/system/${name}.service`, `[Service]\n${service}\n${rest}`, { mode: '0644' })
const active = async (name: string) => (await on.inspect([{ kind: 'unit', name }]))[0].active
const argvOf = (name: string) => host.state.units.get(`${name}.service`)?.process?.argv.join(' ')

describe('a start that a real host refuses', () => {
  const cases: Readonly<Record<string, { readonly service: string; readonly says: string }>> = {
    'the program is missing': { service: 'ExecStart=/usr/local/bin/absent', says: '203/EXEC' },
    'the program is for another architecture': { service: 'ExecStart=/usr/local/bin/foreign', says: 'Exec format error' },
    'the program is not executable': { service: 'ExecStart=/etc/hosts', says: 'Permission denied' },
    'a program that comes before is missing': { service: 'ExecStartPre=/no/pre\nExecStart=/bin/sleep 1', says: '203/EXEC' },
    'the user does not exist': { service: 'User=stranger\nExecStart=/bin/sleep 1', says: '217/USER' },
    'the directory to work in is missing': { service: 'WorkingDirectory=/no/dir\nExecStart=/bin/sleep 1', says: '200/CHDIR' },
    'the environment file is missing': { service: 'EnvironmentFile=/no/env\nExecStart=/bin/sleep 1', says: 'environment files' },
  }
  it.each(Object.entries(cases))('%s', async (_, { service, says }) => {
    await putUnit('app', service)
    await expect(on.services.start('app')).rejects.toMatchObject({ code: 'KX_SERVICE', seen: expect.stringContaining(says) })
    expect(await active('app')).toBe('failed')
    await on.services.stop('app')
    expect(await active('app')).toBe('inactive')
  })

  it('the port is taken, also by something that is no unit', async () => {
    await putUnit('one', 'ExecStart=/usr/local/bin/server')
    await putUnit('two', 'ExecStart=/usr/local/bin/other')
    await on.services.start('one')
    await expect(on.services.start('two')).rejects.toMatchObject({ seen: expect.stringContaining('address already in use') })
    await on.services.stop('one')
    await on.services.start('two')
    const process = { pid: 7, name: 'apache2', argv: ['apache2'], binary: null, user: 'root', listens: [tcp(8080)] }
    const busy = new SimulatedHost({ processes: [process], daemons: { sleep: listensOn(tcp(8080)) } }).runner()
    await busy.files.write('/etc/systemd/system/app.service', '[Service]\nExecStart=/bin/sleep 1\n', { mode: '0644' })
    await expect(busy.services.start('app')).rejects.toMatchObject({ code: 'KX_SERVICE' })
    expect((await busy.facts()).listening).toContainEqual({ protocol: 'tcp', address: '0.0.0.0', port: 8080, process: 'apache2', pid: 7 })
  })

  it('there is no unit file, or it is masked, or what it requires does not start', async () => {
    await expect(on.services.start('absent')).rejects.toMatchObject({ seen: expect.stringContaining('not found') })
    await expect(on.services.restart('absent')).rejects.toMatchObject({ seen: expect.stringContaining('not found') })
    await on.services.stop('absent')
    await on.services.disable('absent')
    await expect(on.run(sh`systemctl stop absent`)).rejects.toMatchObject({ seen: expect.stringContaining('not loaded') })
    await expect(on.services.enable('absent')).rejects.toMatchObject({ seen: expect.stringContaining('does not exist') })
    await expect(on.run(sh`systemctl disable absent`)).rejects.toMatchObject({ seen: expect.stringContaining('does not exist') })
    await on.files.link('/etc/systemd/system/sshd.service', '/dev/null')
    await expect(on.services.restart('sshd')).rejects.toMatchObject({ seen: expect.stringContaining('masked') })
    await putUnit('app', 'ExecStart=/bin/sleep 1', '[Unit]\nRequires=absent.service\n')
    await expect(on.services.start('app')).rejects.toMatchObject({ seen: expect.stringContaining('dependency') })
    expect(await active('app')).toBe('inactive')
  })
})

describe('what the service manager remembers', () => {
  it('is the unit file as it was, until it reads it again', async () => {
    await putUnit('app', 'ExecStart=/bin/sleep 1')
    await on.services.start('app')
    await putUnit('app', 'ExecStart=/bin/sleep 2')
    await on.services.restart('app')
    expect(argvOf('app')).toBe('/bin/sleep 1')
    await on.services.reloadUnits()
    expect(argvOf('app')).toBe('/bin/sleep 1')
    await on.services.restart('app')
    expect(argvOf('app')).toBe('/bin/sleep 2')
  })

  it('takes drop-ins, an environment and an instance into account', async () => {
    await on.files.write('/etc/default/app', 'LEVEL=3\nOPTIONS="--a --b"\n', { mode: '0644' })
    await putUnit(
      'app@',
      `Environment=X=1\nEnvironmentFile=-/no/such\nEnvironmentFile=/etc/default/app\nExecStart=/bin/sleep %i \${LEVEL} $OPTIONS`,
    )
    await on.services.start('app@blue')
    expect(argvOf('app@blue')).toBe('/bin/sleep blue 3 --a --b')
    await on.files.write('/etc/systemd/system/app@.service.d/10.conf', '[Service]\nExecStart=\nExecStart=/bin/sleep other\n', {
      mode: '0644',
    })
    await on.services.reloadUnits()
    await on.services.restart('app@blue')
    expect(argvOf('app@blue')).toBe('/bin/sleep other')
  })

  it('is nothing of a oneshot that is over, and everything of one that remains', async () => {
    await putUnit('once', 'Type=oneshot\nExecStart=/bin/true')
    await putUnit('stays', 'Type=oneshot\nRemainAfterExit=yes\nExecStart=/bin/true')
    await on.services.start('once')
    await on.services.start('stays')
    expect([await active('once'), await active('stays')]).toEqual(['inactive', 'active'])
  })

  it('starts nothing whose condition does not hold, and stops what needs the stopped', async () => {
    await putUnit('conditional', 'ExecStart=/bin/sleep 1', '[Unit]\nConditionPathExists=/etc/app.conf\n')
    await on.services.start('conditional')
    expect(await active('conditional')).toBe('inactive')
    await putUnit('base', 'ExecStart=/bin/sleep 1\nRuntimeDirectory=base')
    await putUnit('above', 'ExecStart=/bin/sleep 2', '[Unit]\nRequires=base.service\n')
    await on.services.start('above')
    expect([await active('base'), await on.files.list('/run')]).toEqual(['active', ['base', 'lock', 'systemd']])
    await on.services.stop('base')
    expect([await active('above'), await on.files.list('/run')]).toEqual(['inactive', ['lock', 'systemd']])
  })
})

describe('is-enabled', () => {
  const states = async (name: string) => (await on.inspect([{ kind: 'unit', name }]))[0].enabled
  it('follows the links', async () => {
    await putUnit('app', 'ExecStart=/bin/sleep 1', '[Install]\nWantedBy=multi-user.target\nAlias=alias.service\n')
    await putUnit('fixed', 'ExecStart=/bin/sleep 1')
    expect([await states('app'), await states('fixed'), await states('absent')]).toEqual(['disabled', 'static', 'not-found'])
    await on.services.enable('app')
    expect(await on.files.list('/etc/systemd/system/multi-user.target.wants')).toContain('app.service')
    expect([await states('app'), await states('alias')]).toEqual(['enabled', 'enabled'])
    await on.services.disable('app')
    expect([await states('app'), await states('alias')]).toEqual(['disabled', 'not-found'])
  })
})
