import { beforeEach, describe, expect, it } from 'vitest'
import { type Runner, sh } from '../runner/index.ts'
import { diffSnapshots, packageModel, SimulatedHost } from './index.ts'

let host: SimulatedHost
let on: Runner

const fresh = (options: ConstructorParameters<typeof SimulatedHost>[0] = {}): void => {
  host = new SimulatedHost(options)
  on = host.runner()
}
beforeEach(() => fresh())

const refused = (says: string) => ({ seen: expect.stringContaining(says) })

describe('the kernel', () => {
  const sysctl = async (key: string) => (await on.inspect([{ kind: 'sysctl', key }]))[0]
  const present = async (name: string) => (await on.inspect([{ kind: 'module', name }]))[0]

  it('has the keys of a module only while it is loaded', async () => {
    const key = 'net.bridge.bridge-nf-call-iptables'
    await expect(on.kernel.setSysctl(key, '1')).rejects.toMatchObject({ code: 'KX_SYSCTL_UNKNOWN' })
    expect(await sysctl(key)).toEqual({ value: null, writable: false })
    await on.kernel.loadModule('br_netfilter')
    await on.kernel.setSysctl(key, '0')
    expect(await sysctl(key)).toEqual({ value: '0', writable: true })
    await on.kernel.unloadModule('br_netfilter')
    expect(await sysctl(key)).toEqual({ value: null, writable: false })
    await on.kernel.loadModule('br_netfilter')
    expect(await sysctl(key)).toEqual({ value: '1', writable: true })
  })

  it('refuses read-only keys and values of the wrong kind', async () => {
    await expect(on.kernel.setSysctl('kernel.ostype', 'BSD')).rejects.toMatchObject({ code: 'KX_SYSCTL_READONLY' })
    await expect(on.kernel.setSysctl('vm.swappiness', 'low')).rejects.toMatchObject({ code: 'KX_SYSCTL_INVALID' })
  })

  it('loads what a module needs, unloads it with it, and keeps what is used', async () => {
    const before = host.snapshot()
    await on.kernel.loadModule('br_netfilter')
    expect([...host.state.modules]).toEqual(['llc', 'stp', 'bridge', 'br_netfilter'])
    await expect(on.kernel.unloadModule('bridge')).rejects.toMatchObject(refused('in use'))
    await on.kernel.unloadModule('br_netfilter')
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
  })

  it('tells built-in modules from loaded and absent ones', async () => {
    fresh({ os: 'kylin-v10' })
    expect(await present('overlay')).toEqual({ present: true, builtin: true })
    await on.kernel.loadModule('overlay')
    await on.kernel.unloadModule('overlay')
    expect(await present('overlay')).toEqual({ present: true, builtin: true })
    await expect(on.run(sh`modprobe -r overlay`)).rejects.toMatchObject(refused('builtin'))
    expect(await present('ip_vs')).toEqual({ present: false, builtin: false })
    await expect(on.kernel.loadModule('nonsense')).rejects.toMatchObject({ code: 'KX_MODULE_MISSING' })
  })

  it('forgets a value that is put back', async () => {
    const before = host.snapshot()
    await on.kernel.setSysctl('vm.swappiness', '10')
    expect(diffSnapshots(before, host.snapshot())).toEqual(['+ sysctl vm.swappiness 10'])
    await on.kernel.setSysctl('vm.swappiness', '60')
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
  })
})

describe('packages', () => {
  const version = async (name: string) => (await on.inspect([{ kind: 'package', name }]))[0].version

  it.each(['debian-12', 'rocky-9'] as const)('come with their programs and leave no trace on %s', async (os) => {
    const service = packageModel('1', { binaries: ['/usr/sbin/served'], services: [{ unit: 'served.service', exec: '/usr/sbin/served' }] })
    fresh({ os, packages: { served: service } })
    const before = host.snapshot()
    await on.packages.install(['served', 'socat'])
    expect(await version('socat')).not.toBeNull()
    const started = os === 'debian-12' ? { active: 'active', enabled: 'enabled' } : { active: 'inactive', enabled: 'disabled' }
    expect(await on.inspect([{ kind: 'unit', name: 'served' }])).toMatchObject([started])
    await on.packages.remove(['served', 'socat'])
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
  })

  it.each([
    ['debian-12', 'nginx-light', ['+ file /var/www', '+ file /var/www/html', '+ file /var/www/html/index.nginx-debian.html']],
    ['debian-12', 'haproxy', ['+ file /var/lib/haproxy', '+ file /var/lib/haproxy/dev', '+ file /var/lib/haproxy/dev/log']],
    ['rocky-9', 'haproxy', ['+ group haproxy', '+ user haproxy']],
  ] as const)('leave behind on %s what the real %s does', async (os, name, left) => {
    fresh({ os })
    const before = host.snapshot()
    await on.packages.install([name])
    await on.packages.remove([name])
    expect(diffSnapshots(before, host.snapshot()).map((line) => line.split(' ').slice(0, 3).join(' '))).toEqual(left)
  })

  it('come beside a file that is there already: apt leaves it, rpm puts its own next to it', async () => {
    const conf = '/etc/haproxy/haproxy.cfg'
    for (const [os, beside] of [
      ['debian-12', null],
      ['rocky-9', expect.any(String)],
    ] as const) {
      fresh({ os })
      await on.files.write(conf, 'theirs\n', { mode: '0644' })
      await on.packages.install(['haproxy'])
      expect([await on.files.read(conf), await on.files.read(`${conf}.rpmnew`)]).toEqual(['theirs\n', beside])
    }
  })

  it('are refused when unknown or out of reach, and not when they are there already', async () => {
    await expect(on.packages.install(['nonsense'])).rejects.toMatchObject({ code: 'KX_PACKAGE', ...refused('Unable to locate') })
    host.setInternet(false)
    await expect(on.packages.install(['socat'])).rejects.toMatchObject({ code: 'KX_PACKAGE', ...refused('resolve') })
    await on.packages.install(['curl'])
  })

  it('come from files without a network, if all that is needed is there and fits', async () => {
    fresh({ internet: false, packages: { lib: packageModel('1'), tool: packageModel('2', { depends: ['lib'] }) } })
    const install = (): Promise<void> => on.packages.installFrom('/srv/debs', ['tool'])
    await expect(install()).rejects.toMatchObject(refused('lib'))
    await on.files.write('/srv/debs/lib_1_all.deb', '', { mode: '0644' })
    await on.files.write('/srv/debs/tool_2-1_arm64.deb', '', { mode: '0644' })
    await expect(install()).rejects.toMatchObject(refused('architecture'))
    await on.files.write('/srv/debs/tool_2-1_amd64.deb', '', { mode: '0644' })
    await on.files.remove('/srv/debs/tool_2-1_arm64.deb')
    await install()
    expect([await version('tool'), await version('lib')]).toEqual(['2', '1'])
    await on.packages.remove(['tool'])
    expect([await version('tool'), await version('lib')]).toEqual([null, null])
  })

  it('take along what depends on them', async () => {
    fresh({ packages: { lib: packageModel('1'), tool: packageModel('2', { depends: ['lib'] }) } })
    await on.packages.install(['lib', 'tool'])
    await on.packages.remove(['lib'])
    expect(await version('tool')).toBeNull()
  })
})

describe('users', () => {
  it('are not removed while they run something, nor groups while they are somebody’s', async () => {
    await on.users.addGroup('etcd')
    await on.users.add({ name: 'etcd', system: true, group: 'etcd', shell: '/usr/sbin/nologin' })
    await on.files.write('/etc/systemd/system/db.service', '[Service]\nUser=etcd\nExecStart=/bin/sleep 1\n', { mode: '0644' })
    await on.services.start('db')
    await expect(on.users.remove('etcd')).rejects.toMatchObject({ code: 'KX_COMMAND', ...refused('currently used by process') })
    await expect(on.users.removeGroup('etcd')).rejects.toMatchObject(refused('primary group'))
    await on.services.stop('db')
    await on.users.remove('etcd')
    expect(await on.inspect([{ kind: 'group', name: 'etcd' }])).toEqual([null])
  })

  it('stay as they are when they exist, and are refused when something is wrong with them', async () => {
    await expect(on.users.add({ name: 'x', system: true, group: 'absent' })).rejects.toMatchObject(refused('does not exist'))
    await expect(on.users.add({ name: 'A b', system: true })).rejects.toMatchObject(refused('invalid user name'))
    const before = host.snapshot()
    await on.users.add({ name: 'root', system: true })
    await on.users.addGroup('root')
    await on.users.remove('absent')
    await on.users.removeGroup('absent')
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
    await expect(on.run(sh`userdel absent`)).rejects.toMatchObject(refused('does not exist'))
    await expect(on.run(sh`groupadd root`)).rejects.toMatchObject(refused('already exists'))
  })
})

describe('the system', () => {
  it('turns swap off and on, and knows its areas', async () => {
    fresh({ swapAreas: [{ path: '/dev/vda2', sizeMiB: 2048 }] })
    expect((await on.facts()).swapMiB).toBe(2048)
    await on.system.swapOff()
    expect(await on.inspect([{ kind: 'swap' }])).toEqual([{ active: [] }])
    await expect(on.system.swapOn(['/dev/sdz'])).rejects.toMatchObject(refused('No such file'))
    await on.system.swapOn(['/dev/vda2'])
    await on.system.swapOn(['/dev/vda2'])
    expect(await on.inspect([{ kind: 'swap' }])).toEqual([{ active: ['/dev/vda2'] }])
    await expect(on.run(sh`swapon /dev/vda2`)).rejects.toMatchObject(refused('busy'))
  })

  it('changes SELinux where there is one', async () => {
    await expect(on.system.setSelinux('permissive')).rejects.toMatchObject(refused('not found'))
    fresh({ os: 'rocky-9' })
    await on.system.setSelinux('permissive')
    expect(await on.inspect([{ kind: 'selinux' }])).toEqual([{ mode: 'permissive', configured: 'enforcing' }])
  })

  it.each([
    ['rocky-9', 'firewalld', true],
    ['ubuntu-24.04', 'ufw', false],
  ] as const)('turns the firewall of %s (%s) off and on', async (os, tool, initially) => {
    fresh({ os })
    const before = host.snapshot()
    expect(await on.inspect([{ kind: 'firewall' }])).toEqual([{ tool, active: initially, atBoot: initially }])
    await on.system.setFirewall(tool, { active: !initially, atBoot: !initially })
    expect(await on.inspect([{ kind: 'firewall' }])).toEqual([{ tool, active: !initially, atBoot: !initially }])
    await on.system.setFirewall(tool, { active: initially, atBoot: initially })
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
  })

  it('refuses a firewall it does not have, and a name that is none', async () => {
    expect(await on.inspect([{ kind: 'firewall' }])).toEqual([{ tool: null, active: false, atBoot: false }])
    await expect(on.system.setFirewall('ufw', { active: false, atBoot: false })).rejects.toMatchObject({ code: 'KX_COMMAND' })
    await expect(on.system.setHostname('not_a_name')).rejects.toMatchObject(refused('Invalid'))
  })

  it('takes a new name and zone', async () => {
    await on.system.setHostname('node7')
    await on.system.setTimezone('Asia/Shanghai')
    expect(await on.inspect([{ kind: 'hostname' }, { kind: 'timezone' }])).toEqual([
      { current: 'node7', configured: 'node7' },
      { name: 'Asia/Shanghai' },
    ])
  })
})
