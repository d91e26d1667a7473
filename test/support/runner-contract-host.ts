import { expect, it } from 'vitest'
import { hostPaths, type Runner } from '../../src/runner/index.ts'

/** Where the contract keeps its files on the host. */
export const place = '/var/tmp/kubexm-contract'
/** A signal that is never aborted. */
export const live = (): AbortSignal => new AbortController().signal
const unit = 'kubexm-contract.service'
const unitPath = `/etc/systemd/system/${unit}`
const unitText = '[Unit]\nDescription=contract\n\n[Service]\nExecStart=/bin/sleep 1000\n\n[Install]\nWantedBy=multi-user.target\n'

/** Units, from their file to their end. */
export function servicesContract(host: () => Runner): void {
  it('takes a unit through its life', async () => {
    const on = host()
    const state = async () => (await on.inspect([{ kind: 'unit', name: unit, files: [unitPath] }]))[0]
    expect(await state()).toEqual({ active: 'inactive', enabled: 'not-found', current: false })
    await expect(on.services.start(unit)).rejects.toBeInstanceOf(Error)
    await expect(on.services.enable(unit)).rejects.toBeInstanceOf(Error)
    await on.files.write(unitPath, unitText, { mode: '0644' })
    await on.services.reloadUnits()
    expect(await state()).toEqual({ active: 'inactive', enabled: 'disabled', current: false })
    await on.services.enable(unit)
    await on.services.start(unit)
    await on.services.markCurrent(unit, [unitPath])
    expect(await state()).toEqual({ active: 'active', enabled: 'enabled', current: true })
    await on.services.start(unit)
    await on.files.write(unitPath, unitText.replace('1000', '2000'), { mode: '0644' })
    expect(await state()).toMatchObject({ active: 'active', current: false })
    await on.services.reloadUnits()
    await on.services.restart(unit)
    await on.services.markCurrent(unit, [unitPath])
    expect(await state()).toMatchObject({ active: 'active', current: true })
    await on.services.stop(unit)
    await on.services.stop(unit)
    await on.services.disable(unit)
    expect(await state()).toMatchObject({ active: 'inactive', enabled: 'disabled' })
    await on.services.forgetCurrent(unit)
    await on.files.remove(unitPath)
    await on.services.reloadUnits()
    expect(await state()).toEqual({ active: 'inactive', enabled: 'not-found', current: false })
  })

  it('refuses to start a unit whose program is missing, and forgets the failure with the stop', async () => {
    const on = host()
    await on.files.write(unitPath, unitText.replace('/bin/sleep', '/no/such/program').replace('[Service]', '[Service]\nType=exec'), {
      mode: '0644',
    })
    await on.services.reloadUnits()
    await expect(on.services.start(unit)).rejects.toBeInstanceOf(Error)
    expect(await on.inspect([{ kind: 'unit', name: unit }])).toMatchObject([{ active: 'failed' }])
    await on.services.stop(unit)
    await on.files.remove(unitPath)
    await on.services.reloadUnits()
    expect(await on.inspect([{ kind: 'unit', name: unit }])).toEqual([{ active: 'inactive', enabled: 'not-found', current: null }])
  })
}

/** Users, kernel, packages and facts. */
export function hostContract(host: () => Runner): void {
  it('adds and removes users and groups', async () => {
    const on = host()
    const probes = [
      { kind: 'user', name: 'kxcontract' },
      { kind: 'group', name: 'kxgroup' },
    ] as const
    expect(await on.inspect(probes)).toEqual([null, null])
    await on.users.addGroup('kxgroup')
    await on.users.add({ name: 'kxcontract', system: true, home: '/var/lib/kxcontract', shell: '/usr/sbin/nologin', group: 'kxgroup' })
    const [user, group] = await on.inspect(probes)
    expect(user).toMatchObject({ home: '/var/lib/kxcontract', shell: '/usr/sbin/nologin', gid: group?.gid })
    await on.files.write(`${place}/owned`, 'x', { mode: '0600', owner: 'kxcontract:kxgroup' })
    expect(await on.inspect([{ kind: 'file', path: `${place}/owned` }])).toMatchObject([{ owner: 'kxcontract:kxgroup' }])
    await on.files.remove(`${place}/owned`)
    await on.users.remove('kxcontract')
    await on.users.removeGroup('kxgroup')
    expect(await on.inspect(probes)).toEqual([null, null])
    await expect(on.files.write(`${place}/nobodys`, 'x', { mode: '0600', owner: 'kxcontract:kxgroup' })).rejects.toMatchObject({
      code: 'KX_FILE',
    })
  })

  it('sets a sysctl and puts it back', async () => {
    const on = host()
    const probe = { kind: 'sysctl', key: 'net.ipv4.ip_forward' } as const
    const [before] = await on.inspect([probe])
    const other = before.value === '1' ? '0' : '1'
    await on.kernel.setSysctl(probe.key, other)
    expect(await on.inspect([probe])).toEqual([{ value: other, writable: true }])
    await on.kernel.setSysctl(probe.key, before.value ?? '0')
    expect(await on.inspect([probe])).toEqual([before])
    await expect(on.kernel.setSysctl('net.kubexm.no_such_key', '1')).rejects.toMatchObject({ code: 'KX_SYSCTL_UNKNOWN' })
  })

  it('knows what it does not have', async () => {
    const on = host()
    await expect(on.kernel.loadModule('kubexm_no_such_module')).rejects.toMatchObject({ code: 'KX_MODULE_MISSING' })
    await expect(on.packages.install(['kubexm-no-such-package'])).rejects.toMatchObject({ code: 'KX_PACKAGE' })
    await expect(on.system.setTimezone('Mars/Olympus')).rejects.toMatchObject({ code: 'KX_TIMEZONE' })
    expect(
      await on.inspect([
        { kind: 'package', name: 'kubexm-no-such-package' },
        { kind: 'module', name: 'kubexm_no_such_module' },
        { kind: 'sysctl', key: 'net.kubexm.no_such_key' },
        { kind: 'mount', path: '/no/such/mount' },
      ]),
    ).toEqual([{ version: null, held: false }, { present: false, builtin: false }, { value: null, writable: false }, null])
  })

  it('tells its facts and answers probes of the whole host in one go', async () => {
    const on = host()
    const facts = await on.facts()
    const [hostname, timezone, swap, root] = await on.inspect([
      { kind: 'hostname' },
      { kind: 'timezone' },
      { kind: 'swap' },
      { kind: 'mount', path: '/' },
    ])
    expect(facts).toMatchObject({ hostname: hostname.current, timezone: timezone.name, init: 'systemd' })
    expect(facts.cpus).toBeGreaterThan(0)
    expect(swap.active.length > 0).toBe(facts.swapMiB > 0)
    expect(root).not.toBeNull()
  })
}

/** What goes before every change. */
export function noteContract(host: () => Runner): void {
  it('writes the ledger line once, before the change, and obeys the fence', async () => {
    const on = host()
    const kept = await on.files.read(hostPaths.ledger)
    const fence = Number((await on.files.read(hostPaths.fence))?.trim() ?? 0)
    const noted = on.bind({ signal: live(), note: { ledgerLine: '{"contract":1}', fence: fence + 2 } })
    await noted.files.write(`${place}/noted`, '1', { mode: '0644' })
    await noted.files.write(`${place}/noted`, '2', { mode: '0644' })
    expect(await on.files.read(hostPaths.ledger)).toBe(`${kept ?? ''}{"contract":1}\n`)
    const older = on.bind({ signal: live(), note: { ledgerLine: '{"contract":2}', fence: fence + 1 } })
    await expect(older.files.write(`${place}/noted`, '3', { mode: '0644' })).rejects.toMatchObject({ code: 'KX_FENCED' })
    expect(await on.files.read(`${place}/noted`)).toBe('2')
    expect(await on.files.read(hostPaths.ledger)).toBe(`${kept ?? ''}{"contract":1}\n`)
    const [ledger] = await on.inspect([{ kind: 'file', path: hostPaths.ledger }])
    expect(ledger).toMatchObject({ mode: '0600', owner: 'root:root' })
    if (kept === null) await on.files.remove(hostPaths.root, { recursive: true })
  })
}
