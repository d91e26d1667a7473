import { describe, expect, it } from 'vitest'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { hostPaths, sh } from '../runner/index.ts'
import { diffSnapshots, type FaultPoint, Faults, SimulatedCrash, SimulatedHost, usualLatency } from './index.ts'

const live = (): AbortSignal => new AbortController().signal
const write = (host: SimulatedHost, path = '/etc/app.conf') => host.runner().files.write(path, 'x', { mode: '0644' })

describe('faults', () => {
  const cases: readonly {
    readonly point: FaultPoint
    readonly throws: boolean
    readonly ledger: string | null
    readonly file: string | null
  }[] = [
    { point: 'before', throws: true, ledger: null, file: null },
    { point: 'noted', throws: true, ledger: '{"op":1}\n', file: null },
    { point: 'after', throws: true, ledger: '{"op":1}\n', file: 'x' },
    { point: 'lost', throws: false, ledger: null, file: null },
  ]
  it.each(cases)('strike $point', async ({ point, throws, ledger, file }) => {
    const host = new SimulatedHost()
    host.faults.failAt(2, point)
    await write(host, '/etc/first')
    const noted = host.runner().bind({ signal: live(), note: { ledgerLine: '{"op":1}' } })
    const attempt = noted.files.write('/etc/app.conf', 'x', { mode: '0644' })
    if (throws) await expect(attempt).rejects.toMatchObject({ code: 'KX_FILE', seen: expect.stringContaining('injected fault') })
    else await attempt
    const on = host.runner()
    expect([await on.files.read(hostPaths.ledger), await on.files.read('/etc/app.conf')]).toEqual([ledger, file])
    expect(host.mutations.map(({ target }) => target)).toEqual(['/etc/first', '/etc/app.conf'])
    await write(host)
    expect(host.faults.count).toBe(3)
  })

  it('kill: nothing can be asked any more until somebody new comes', async () => {
    const host = new SimulatedHost()
    host.faults.crashAt(1, 'after')
    await expect(write(host)).rejects.toBeInstanceOf(SimulatedCrash)
    await expect(host.runner().facts()).rejects.toBeInstanceOf(SimulatedCrash)
    expect(host.faults.crashed).toBe(true)
    host.faults.revive()
    expect(await host.runner().files.read('/etc/app.conf')).toBe('x')
  })

  it('are counted over all hosts that share them, and may bring an error of their own', async () => {
    const faults = new Faults()
    const [a, b] = [new SimulatedHost({ name: 'a', faults }), new SimulatedHost({ name: 'b', faults })]
    faults.failAt(2, 'before', () => new Error('mine'))
    faults.failAt(3, 'before')
    await write(a)
    await expect(write(b)).rejects.toThrow('mine')
    faults.clear()
    await write(b)
    expect([faults.count, a.mutations.length, b.mutations.length]).toEqual([3, 1, 2])
  })

  it('strike commands that change something, and not those that only look', async () => {
    const host = new SimulatedHost()
    const before = host.snapshot()
    host.faults.failAt(1, 'before')
    expect(await host.runner().run(sh`cat /etc/hostname`)).toMatchObject({ stdout: 'node1\n' })
    await expect(host.runner().run(sh`touch /etc/x`)).rejects.toMatchObject({ code: 'KX_COMMAND' })
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
    await host.runner().run(sh`touch /etc/x`)
    expect(host.mutations).toEqual([
      { what: 'run', target: 'touch /etc/x' },
      { what: 'run', target: 'touch /etc/x' },
    ])
  })
})

describe('the note of a change', () => {
  it('is written once for an op of many changes, commands included, and again for the next op', async () => {
    const host = new SimulatedHost()
    const first = host.runner().bind({ signal: live(), note: { ledgerLine: '{"op":1}', fence: 4 } })
    await first.run(sh`true`)
    await first.files.write('/etc/x', 'x', { mode: '0644' })
    await first.files.read('/etc/x')
    const second = first.bind({ signal: live(), note: { ledgerLine: '{"op":2}', fence: 4 } })
    await second.services.reloadUnits()
    const on = host.runner()
    expect(await on.files.read(hostPaths.ledger)).toBe('{"op":1}\n{"op":2}\n')
    expect(await on.files.read(hostPaths.fence)).toBe('4\n')
    expect(await on.inspect([{ kind: 'file', path: hostPaths.root }])).toMatchObject([{ mode: '0700' }])
  })

  it('stops a run that was overtaken, before it changes or writes anything', async () => {
    const host = new SimulatedHost()
    await host
      .runner()
      .bind({ signal: live(), note: { fence: 9 } })
      .files.write('/etc/x', 'new', { mode: '0644' })
    const before = host.snapshot()
    const old = host.runner().bind({ signal: live(), note: { ledgerLine: '{"op":1}', fence: 8 } })
    await expect(old.files.remove('/etc/x')).rejects.toMatchObject({ code: 'KX_FENCED', params: { newer: 9, own: 8 } })
    await expect(old.run(sh`rm /etc/x`)).rejects.toMatchObject({ code: 'KX_FENCED' })
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
  })

  it('must fit on the disk, or nothing is changed', async () => {
    const host = new SimulatedHost({ diskMiB: 2 })
    await host.runner().files.write('/opt/fill', 'x'.repeat(Math.floor((await freeBytes(host)) - 4)), { mode: '0644' })
    const noted = host.runner().bind({ signal: live(), note: { ledgerLine: '{"op":1}' } })
    await expect(noted.files.remove('/opt/fill')).rejects.toMatchObject({ code: 'KX_FILE', params: { path: hostPaths.ledger } })
    expect(await host.runner().inspect([{ kind: 'file', path: '/opt/fill' }])).toMatchObject([{ type: 'file' }])
  })

  it('replaces a line that a power failure tore', async () => {
    const host = new SimulatedHost()
    await host.runner().files.append(hostPaths.ledger, '{"op":0}\n{"op":')
    await host
      .runner()
      .bind({ signal: live(), note: { ledgerLine: '{"op":1}' } })
      .services.reloadUnits()
    expect(await host.runner().files.read(hostPaths.ledger)).toBe('{"op":0}\n{"op":1}\n')
  })
})

const freeBytes = async (host: SimulatedHost): Promise<number> => {
  const { machine, root } = host.state
  return machine.diskBytes - machine.systemBytes - root.bytes
}

describe('time', () => {
  it('passes as the model says, and a call that is aborted meanwhile changes nothing', async () => {
    const clock = new VirtualClock()
    const host = new SimulatedHost({ clock, latency: usualLatency({ roundTrip: 10, bytesPerSecond: 1000 }) })
    await clock.run(host.runner().files.write('/x', 'y'.repeat(500), { mode: '0644' }))
    expect(clock.now()).toBe(510)
    await clock.run(host.runner().services.start('sshd'))
    expect(clock.now()).toBe(510 + 710)
    const abort = new AbortController()
    const doomed = host.runner({ signal: abort.signal }).files.remove('/x')
    abort.abort(new Error('cancelled'))
    await expect(doomed).rejects.toThrow('cancelled')
    expect(host.mutations.length).toBe(2)
    expect(host.uptimeSeconds).toBe(1)
  })

  it('stands still without a clock: two hosts that did the same are the same', async () => {
    const [a, b] = [new SimulatedHost(), new SimulatedHost()]
    await write(a)
    await write(b)
    expect(diffSnapshots(a.snapshot(), b.snapshot())).toEqual([])
    expect(JSON.stringify(await a.runner().facts())).toBe(JSON.stringify(await b.runner().facts()))
  })
})

it('shows every sort of difference between two snapshots', async () => {
  const host = new SimulatedHost({ swapAreas: [{ path: '/dev/vda2', sizeMiB: 1 }] })
  const before = host.snapshot()
  const on = host.runner()
  await on.files.write('/etc/hosts', 'changed\n', { mode: '0600' })
  await on.files.link('/etc/l', 'x')
  await on.kernel.loadModule('overlay')
  await on.users.addGroup('g')
  await on.system.swapOff()
  await on.packages.install(['jq'])
  const lines = diffSnapshots(before, host.snapshot())
  expect(lines).toEqual([
    expect.stringMatching(/^- file \/etc\/hosts file 0644 root:root [0-9a-f]{16} \(\d+ bytes\)$/),
    expect.stringMatching(/^\+ file \/etc\/hosts file 0600 root:root [0-9a-f]{16} \(8 bytes\)$/),
    '+ file /etc/l link to x',
    expect.stringMatching(/^\+ file \/usr\/bin\/jq file 0755/),
    '+ group g 999',
    '+ module overlay loaded',
    '+ package jq 1.6',
    '- swap /dev/vda2 on',
  ])
  expect(diffSnapshots(before, before)).toEqual([])
})
