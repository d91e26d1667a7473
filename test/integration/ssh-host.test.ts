import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Connection, sshConnector } from '../../src/connector/index.ts'
import { createRunner, hostPaths, type Runner, sh } from '../../src/runner/index.ts'
import { patient, refusal } from '../support/ssh-exec.ts'
import { startSshd, type TestSshd } from '../support/sshd.ts'

let sshd: TestSshd
let connection: Connection
let on: Runner
beforeAll(async () => {
  sshd = await startSshd()
  connection = await sshConnector(sshd.options()).connect(patient())
  on = createRunner({ host: 'box', connection })
})
afterAll(async () => {
  await connection[Symbol.asyncDispose]()
  await sshd[Symbol.asyncDispose]()
})

describe('before a change', () => {
  const line = (n: number): string => `{"n":${n},"text":"it's $HOME\\n"}`
  const noted = (n: number, fence?: number): Runner =>
    on.bind({ signal: patient(), note: { ledgerLine: line(n), ...(fence === undefined ? {} : { fence }) } })
  const ledger = async (): Promise<string> => (await on.files.read(hostPaths.ledger)) ?? ''

  it('the ledger has its line once, also when changes run side by side, and nobody but root reads it', async () => {
    const one = noted(1)
    expect(await one.files.read('/etc/hostname')).not.toBeNull()
    expect(await ledger()).toBe('')
    await Promise.all([1, 2, 3].map((i) => one.files.write(`/var/tmp/noted-${i}`, 'x', { mode: '0600' })))
    await one.run(sh`true`)
    await noted(2).run(sh`true`)
    expect(await ledger()).toBe(`${line(1)}\n${line(2)}\n`)
    expect(
      await on.inspect([
        { kind: 'file', path: hostPaths.root },
        { kind: 'file', path: hostPaths.ledger },
      ]),
    ).toMatchObject([
      { mode: '0700', owner: 'root:root' },
      { mode: '0600', owner: 'root:root' },
    ])
  })

  it('a line torn by a power failure is dropped', async () => {
    await on.run(sh`printf '{"half' >> ${hostPaths.ledger}`)
    await noted(3).files.makeDirectory('/var/tmp/d', { mode: '0755' })
    expect(await ledger()).toBe(`${line(1)}\n${line(2)}\n${line(3)}\n`)
  })

  it('the ledger is written even when the change then fails', async () => {
    expect(await refusal(noted(4).files.copy('/nowhere', '/var/tmp/x'))).toMatchObject({ code: 'KX_FILE' })
    expect(await ledger()).toContain(line(4))
  })

  it('a newer run fences an older one off, also when many come at once', async () => {
    await Promise.all(
      [12, 15, 11, 14, 13].map((fence) =>
        noted(100 + fence, fence)
          .run(sh`true`)
          .catch((error: unknown) => expect(error).toMatchObject({ code: 'KX_FENCED' })),
      ),
    )
    expect(await on.files.read(hostPaths.fence)).toBe('15\n')
    const before = await ledger()
    const error = await refusal(noted(5, 14).files.write('/var/tmp/fenced', 'x', { mode: '0600' }))
    expect(error).toMatchObject({ code: 'KX_FENCED', params: { newer: '15', own: 14 }, where: { host: 'box' }, exitCode: 15 })
    expect(await refusal(noted(5, 14).run(sh`touch /var/tmp/fenced`))).toMatchObject({ code: 'KX_FENCED' })
    expect(await on.files.read('/var/tmp/fenced')).toBeNull()
    expect(await ledger()).toBe(before)
    await noted(6, 15).run(sh`true`)
  })

  it('nothing is changed when it cannot be put on record', async () => {
    await on.run(sh`mount -t tmpfs -o ro tmpfs ${hostPaths.root}`)
    expect(await refusal(noted(7).files.write('/var/tmp/unnoted', 'x', { mode: '0600' }))).toMatchObject({
      code: 'KX_FILE',
      params: { path: hostPaths.ledger },
    })
    await on.run(sh`umount ${hostPaths.root}`)
    expect(await on.files.read('/var/tmp/unnoted')).toBeNull()
  })
})

describe('packages', () => {
  const directory = '/var/tmp/debs'
  beforeAll(async () => {
    const make = (name: string, depends: string) => sh`mkdir -p /var/tmp/build/DEBIAN /var/tmp/build/etc ${directory}
printf 'Package: %s\nVersion: 1.0\nArchitecture: all\nMaintainer: test <test@localhost>\nDescription: test\n%s' ${name} ${depends} > /var/tmp/build/DEBIAN/control
echo setting > /var/tmp/build/etc/${name}.conf; echo /etc/${name}.conf > /var/tmp/build/DEBIAN/conffiles
dpkg-deb -b /var/tmp/build ${`${directory}/${name}_1.0_all.deb`}; rm -r /var/tmp/build`
    await on.run(make('kxtest-a', 'Depends: kxtest-b\n'))
    await on.run(make('kxtest-b', ''))
    await on.run(make('kxtest-unneeded', ''))
  })
  const versions = async (): Promise<readonly (string | null)[]> =>
    (
      await on.inspect([
        { kind: 'package', name: 'kxtest-a' },
        { kind: 'package', name: 'kxtest-b' },
        { kind: 'package', name: 'kxtest-unneeded' },
      ])
    ).map((state) => state.version)

  it('come from a directory, exactly those that are needed, without any source', async () => {
    await on.packages.installFrom(directory, ['kxtest-a'])
    expect(await versions()).toEqual(['1.0', '1.0', null])
    await on.packages.installFrom('/nowhere', ['kxtest-a'])
  })

  it('go again, with their config files and with what they pulled in', async () => {
    await on.packages.remove(['kxtest-a', 'never-installed'])
    expect(await versions()).toEqual([null, null, null])
    expect(await on.files.read('/etc/kxtest-b.conf')).toBeNull()
    await on.packages.remove(['kxtest-a'])
  })

  it('that were there before are not taken for pulled in', async () => {
    await on.packages.installFrom(directory, ['kxtest-b'])
    await on.packages.installFrom(directory, ['kxtest-a'])
    await on.packages.remove(['kxtest-a'])
    expect(await versions()).toEqual([null, '1.0', null])
    await on.packages.remove(['kxtest-b'])
  })

  it('that an installation pulled in before it was killed go as well', async () => {
    await on.run(sh`mkdir -p /var/tmp/build/DEBIAN
printf 'Package: kxtest-c\nVersion: 1.0\nArchitecture: all\nMaintainer: test <test@localhost>\nDescription: test\nDepends: kxtest-b\n' > /var/tmp/build/DEBIAN/control
printf '#!/bin/sh\n[ -e /var/tmp/kx-began ] || { touch /var/tmp/kx-began; sleep 60; }\n' > /var/tmp/build/DEBIAN/postinst; chmod 755 /var/tmp/build/DEBIAN/postinst
dpkg-deb -b /var/tmp/build ${`${directory}/kxtest-c_1.0_all.deb`}; rm -r /var/tmp/build`)
    const stop = new AbortController()
    const killed = expect(on.bind({ signal: stop.signal }).packages.installFrom(directory, ['kxtest-c'])).rejects.toThrow('enough')
    await on.run(sh`until [ -e /var/tmp/kx-began ]; do sleep 0.1; done`)
    stop.abort(new Error('enough'))
    await killed
    expect(await versions()).toEqual([null, '1.0', null])
    await on.packages.installFrom(directory, ['kxtest-c'])
    await on.packages.remove(['kxtest-c'])
    expect(await versions()).toEqual([null, null, null])
  })

  it('wait for whoever holds the lock, and say so', async () => {
    const notes: string[] = []
    const holder = on.run(
      sh`perl -e ${`use Fcntl; open(my $f, '>', '/var/lib/dpkg/lock-frontend'); my $l = pack('s s x4 q q i x64', F_WRLCK, 0, 0, 0, 0); fcntl($f, F_SETLK, $l) or die $!; sleep 4`}`,
    )
    await on.run(sh`sleep 0.5`)
    await on.bind({ signal: patient(), log: (_, message) => notes.push(message) }).packages.installFrom(directory, ['kxtest-unneeded'])
    await holder
    expect(notes).toHaveLength(1)
    expect(notes[0]).toMatch(/waiting for another program.*lock/)
    expect(await versions()).toEqual([null, null, '1.0'])
  })

  it('that cannot be had are named, with what the package manager says', async () => {
    const error = await refusal(on.packages.installFrom(directory, ['no-such-package']))
    expect(error).toMatchObject({ code: 'KX_PACKAGE', params: { names: 'no-such-package' } })
    expect(error.seen).toContain('Unable to locate package')
    expect(await refusal(on.packages.installFrom('/nowhere', ['no-such-package']))).toMatchObject({
      seen: expect.stringContaining('no .deb file'),
    })
  })
})

describe('the host itself', () => {
  it('gets a name and a time zone', async () => {
    await on.system.setHostname('kxtest-renamed')
    await on.system.setTimezone('Asia/Shanghai')
    expect(await on.inspect([{ kind: 'hostname' }, { kind: 'timezone' }])).toEqual([
      { current: 'kxtest-renamed', configured: 'kxtest-renamed' },
      { name: 'Asia/Shanghai' },
    ])
    expect(await refusal(on.system.setTimezone("No'where"))).toMatchObject({ code: 'KX_TIMEZONE' })
  })

  it('takes a sysctl, is content with an equal one, and tells unknown, read-only and wrong apart', async () => {
    await on.kernel.setSysctl('kernel.domainname', 'kx.test')
    expect(await on.inspect([{ kind: 'sysctl', key: 'kernel.domainname' }])).toEqual([{ value: 'kx.test', writable: true }])
    await on.run(
      sh`mount --bind /proc/sys/kernel/domainname /proc/sys/kernel/domainname && mount -o remount,bind,ro /proc/sys/kernel/domainname`,
    )
    await on.kernel.setSysctl('kernel.domainname', '  kx.test ')
    expect(await refusal(on.kernel.setSysctl('kernel.domainname', 'other'))).toMatchObject({
      code: 'KX_SYSCTL_READONLY',
      params: { current: 'kx.test', value: 'other' },
    })
    expect(await on.inspect([{ kind: 'sysctl', key: 'kernel.domainname' }])).toEqual([{ value: 'kx.test', writable: false }])
    expect(await refusal(on.kernel.setSysctl('net.no.such', '1'))).toMatchObject({ code: 'KX_SYSCTL_UNKNOWN' })
    expect(await refusal(on.kernel.setSysctl('kernel.printk_ratelimit', 'not a number'))).toMatchObject({ code: 'KX_SYSCTL_INVALID' })
  })

  it('has built-in modules and lacks others', async () => {
    await on.kernel.loadModule('overlay')
    await on.kernel.unloadModule('overlay')
    expect(await on.inspect([{ kind: 'module', name: 'overlay' }])).toMatchObject([{ present: true }])
    expect(await refusal(on.kernel.loadModule('kxtest_none'))).toMatchObject({ code: 'KX_MODULE_MISSING' })
  })

  it('adds and removes users and groups, twice over', async () => {
    for (let i = 0; i < 2; i++) await on.users.addGroup('kxtest-g')
    for (let i = 0; i < 2; i++) await on.users.add({ name: 'kxtest-u', system: true, group: 'kxtest-g', home: '/nonexistent' })
    expect(await on.inspect([{ kind: 'user', name: 'kxtest-u' }])).toMatchObject([{ home: '/nonexistent', shell: '/usr/sbin/nologin' }])
    for (let i = 0; i < 2; i++) await on.users.remove('kxtest-u')
    for (let i = 0; i < 2; i++) await on.users.removeGroup('kxtest-g')
    expect(
      await on.inspect([
        { kind: 'user', name: 'kxtest-u' },
        { kind: 'group', name: 'kxtest-g' },
      ]),
    ).toEqual([null, null])
  })
})
