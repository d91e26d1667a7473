import { beforeEach, describe, expect, it } from 'vitest'
import type { Runner } from '../runner/index.ts'
import { diffSnapshots, memoryFiles, packArchive, SimulatedHost, simulatedBinary } from './index.ts'

const mebibyte = 1024 * 1024
let host: SimulatedHost
let on: Runner

beforeEach(() => {
  host = new SimulatedHost({ diskMiB: 64, localFiles: memoryFiles({ '/big': new Uint8Array(33 * mebibyte), '/small': 'small' }) })
  on = host.runner()
})

describe('a full disk', () => {
  it('refuses a file that does not fit and shows nothing of it', async () => {
    const before = host.snapshot()
    await expect(on.files.upload('/big', '/opt/big', { mode: '0644' })).rejects.toMatchObject({
      code: 'KX_FILE',
      seen: expect.stringContaining('No space left'),
    })
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
    expect(await on.files.list('/opt')).toEqual([])
  })

  it('needs room for old and new at once, since the new one is written beside the old one', async () => {
    const half = 'x'.repeat(20 * mebibyte)
    await on.files.write('/opt/file', half, { mode: '0644' })
    await expect(on.files.write('/opt/file', half.replace('x', 'y'), { mode: '0644' })).rejects.toMatchObject({ code: 'KX_FILE' })
    expect(await on.files.read('/opt/file')).toBe(half)
    await on.files.remove('/opt/file')
    await on.files.write('/opt/file', half, { mode: '0644' })
  })

  it('shows in the facts', async () => {
    const free = async () => (await on.facts()).disks[0]?.freeMiB ?? 0
    const before = await free()
    await on.files.write('/opt/file', 'x'.repeat(10 * mebibyte), { mode: '0644' })
    expect(before - (await free())).toBe(10)
  })
})

describe('what a host refuses', () => {
  const refusals: Readonly<Record<string, { readonly act: () => Promise<void>; readonly says: string }>> = {
    'removing a full directory': { act: () => on.files.remove('/etc/systemd'), says: 'not empty' },
    'a directory where a file is': { act: () => on.files.makeDirectory('/etc/hosts', { mode: '0755' }), says: 'File exists' },
    'a file below a file': { act: () => on.files.write('/etc/hosts/x', '', { mode: '0644' }), says: 'Not a directory' },
    'a link over a directory': { act: () => on.files.link('/etc', '/usr'), says: 'cannot overwrite directory' },
    'attributes of nothing': { act: () => on.files.setAttributes('/nothing', { mode: '0644' }), says: 'No such file' },
    'an owner it does not know': { act: () => on.files.write('/x', '', { mode: '0644', owner: 'stranger' }), says: 'invalid user' },
    'a group it does not know': { act: () => on.files.write('/x', '', { mode: '0644', owner: 'root:strangers' }), says: 'invalid group' },
    'a mode that is none': { act: () => on.files.write('/x', '', { mode: 'rw' }), says: 'invalid mode' },
    'copying over a full directory': { act: () => on.files.copy('/var', '/usr/lib'), says: 'not empty' },
    'copying nothing': { act: () => on.files.copy('/nothing', '/x'), says: 'No such file' },
    'extracting nothing': { act: () => on.files.extract('/nothing', '/opt'), says: 'Cannot open' },
    'extracting a text': { act: () => on.files.extract('/etc/hosts', '/opt'), says: 'not look like a tar archive' },
  }
  it.each(Object.entries(refusals))('%s', async (_, { act, says }) => {
    const before = host.snapshot()
    await expect(act()).rejects.toMatchObject({ code: 'KX_FILE', where: { host: 'node1' }, seen: expect.stringContaining(says) })
    expect(diffSnapshots(before, host.snapshot())).toEqual([])
  })

  it('pulling away the file of a running unit, its program, or a directory above it', async () => {
    await on.files.write('/opt/app/run', '#!/bin/sh\n', { mode: '0755' })
    await on.files.write('/etc/systemd/system/app.service', '[Service]\nExecStart=/opt/app/run\n', { mode: '0644' })
    await on.services.start('app')
    for (const path of ['/etc/systemd/system/app.service', '/opt/app/run', '/opt/app'])
      await expect(on.files.remove(path, { recursive: true })).rejects.toMatchObject({ code: 'KX_FILE' })
    await on.files.write('/opt/app/run', '#!/bin/sh\n# newer\n', { mode: '0755' })
    await on.services.stop('app')
    await on.files.remove('/opt/app', { recursive: true })
    await on.files.remove('/etc/systemd/system/app.service')
    expect(await on.files.list('/opt')).toEqual([])
  })

  it('makes a mistake of ours known: the directories every Linux is made of', async () => {
    for (const path of ['/', '/etc', '/var/'])
      await expect(on.files.remove(path, { recursive: true })).rejects.toMatchObject({ code: 'KX_BUG' })
    await expect(on.files.read('relative')).rejects.toMatchObject({ code: 'KX_BUG' })
  })

  it('takes along the directories that are empty then, as far as told', async () => {
    await on.files.write('/opt/a/b/c/file', '', { mode: '0644' })
    await on.files.write('/opt/a/other', '', { mode: '0644' })
    await on.files.remove('/opt/a/b/c/file', { upTo: '/opt' })
    expect(await on.files.list('/opt/a')).toEqual(['other'])
    await on.files.remove('/opt/a/other', { upTo: '/opt' })
    expect(await on.inspect([{ kind: 'file', path: '/opt/a/other' }])).toEqual([{ type: 'absent', existing: '/opt' }])
  })

  it('pulling away a mount point', async () => {
    await on.files.makeDirectory('/mnt/data', { mode: '0755' })
    host.meddle((state) => ({
      ...state,
      mounts: new Map([...state.mounts, ['/mnt/data', { source: '/dev/vdb', type: 'ext4', options: 'rw' }]]),
    }))
    await expect(on.files.remove('/mnt/data')).rejects.toMatchObject({ seen: expect.stringContaining('busy') })
  })
})

describe('archives', () => {
  it('takes members by name, names those that are missing, and keeps out what climbs', async () => {
    const good = await packArchive({ 'a/tool': { data: simulatedBinary('tool', 'amd64'), mode: 0o755 }, 'a/notes': { data: 'n' } })
    const evil = await packArchive({ '../../etc/shadow': { data: 'x' } })
    const machine = new SimulatedHost({ localFiles: memoryFiles({ '/good': good, '/evil': evil }) })
    const runner = machine.runner()
    await runner.files.upload('/good', '/tmp/good', { mode: '0644' })
    await runner.files.upload('/evil', '/tmp/evil', { mode: '0644' })
    await runner.files.extract('/tmp/good', '/usr/local/bin', { strip: 1, members: ['a/tool'] })
    expect(await runner.files.list('/usr/local/bin')).toEqual(['tool'])
    await expect(runner.files.extract('/tmp/good', '/opt', { members: ['a/other'] })).rejects.toMatchObject({
      seen: expect.stringContaining('Not found in archive'),
    })
    await expect(runner.files.extract('/tmp/evil', '/opt/deep')).rejects.toMatchObject({ code: 'KX_FILE' })
  })
})

describe('uploads', () => {
  it('carry no bytes when the file is there already, and say when the local file is not what it should be', async () => {
    const bytes: number[] = []
    const machine = new SimulatedHost({
      localFiles: memoryFiles({ '/small': 'small' }),
      clock: { now: () => 0, steady: () => 0, sleep: async () => {}, after: () => ({ cancel: () => {} }) },
      latency: (call) => bytes.push(call.bytes),
    })
    const runner = machine.runner()
    await runner.files.upload('/small', '/opt/small', { mode: '0644' })
    await runner.files.upload('/small', '/opt/small', { mode: '0600' })
    expect(bytes).toEqual([5, 0])
    expect(await runner.inspect([{ kind: 'file', path: '/opt/small' }])).toMatchObject([{ mode: '0600' }])
    await expect(runner.files.upload('/small', '/opt/x', { mode: '0644', sha256: 'abc' })).rejects.toMatchObject({ code: 'KX_LOCAL_FILE' })
    await expect(runner.files.upload('/absent', '/opt/x', { mode: '0644' })).rejects.toMatchObject({ code: 'KX_LOCAL_FILE' })
  })
})
