import { gunzipSync } from 'node:zlib'
import { beforeEach, describe, expect, it } from 'vitest'
import { sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { packArchive, SimulatedFleet, type SimulatedHost, simulatedBinary } from './index.ts'

let fleet: SimulatedFleet
const names = ['e1', 'e2', 'e3', 'e4']
const peer = (host: SimulatedHost): string => `http://${host.state.machine.address}:2380`
const on = (name: string) => fleet.runner(name)

async function putUnit(name: string, members: readonly string[], state: 'new' | 'existing'): Promise<void> {
  const host = fleet.host(name)
  const initial = members.map((member) => `${member}=${peer(fleet.host(member))}`).join(',')
  const { address } = host.state.machine
  const flags = `--name=${name} --data-dir=/var/lib/etcd --initial-cluster=${initial} --initial-cluster-state=${state} --initial-advertise-peer-urls=${peer(host)} --advertise-client-urls=http://${address}:2379`
  await on(name).files.write(
    '/etc/systemd/system/etcd.service',
    `[Service]\nType=notify\nExecStart=/usr/local/bin/etcd ${flags}\n[Install]\nWantedBy=multi-user.target\n`,
    { mode: '0644' },
  )
  await on(name).services.enable('etcd')
}
const etcdctl = (name: string, ...args: readonly string[]) => on(name).run(sh`etcdctl ${args}`, { ok: 'any' })

beforeEach(async () => {
  fleet = new SimulatedFleet({ hosts: names })
  for (const host of fleet.hosts)
    for (const program of ['etcd', 'etcdctl', 'ctr', 'crictl', 'containerd'])
      host.meddle((state) =>
        writeFile(state, `/usr/local/bin/${program}`, new Content(simulatedBinary(program, 'amd64')), { mode: '0755' }),
      )
  for (const name of names.slice(0, 3)) await putUnit(name, names.slice(0, 3), 'new')
})
const startAll = async (): Promise<void> => {
  for (const name of names.slice(0, 3)) await on(name).services.start('etcd', { wait: false })
}

describe('etcd as a service', () => {
  it('forms one cluster, and is healthy while a majority is', async () => {
    await startAll()
    expect((await etcdctl('e1', 'endpoint', 'health', '--cluster')).code).toBe(0)
    await on('e3').services.stop('etcd')
    expect((await etcdctl('e1', 'endpoint', 'health')).code).toBe(0)
    expect((await etcdctl('e1', 'endpoint', 'health', '--cluster')).code).toBe(1)
    expect((await etcdctl('e1', 'snapshot', 'save', '/var/backup/s.db')).code).toBe(0)
    fleet.host('e2').cutNetwork()
    expect((await etcdctl('e1', 'endpoint', 'health')).code).toBe(1)
    expect(await etcdctl('e1', 'snapshot', 'save', '/var/backup/t.db')).toMatchObject({
      code: 1,
      stderr: 'Error: context deadline exceeded\n',
    })
    expect(await on('e1').files.list('/var/backup')).toEqual(['s.db'])
    fleet.host('e2').restoreNetwork()
    expect((await etcdctl('e1', 'endpoint', 'health')).code).toBe(0)
  })

  it('is ready when a majority has started: who waits for the first one waits in vain', async () => {
    const activity = async (name: string) => (await on(name).inspect([{ kind: 'unit', name: 'etcd' }]))[0].active
    await expect(on('e1').services.start('etcd')).rejects.toMatchObject({ seen: expect.stringContaining('timeout was exceeded') })
    await on('e1').services.start('etcd', { wait: false })
    expect(await activity('e1')).toBe('activating')
    await on('e2').services.start('etcd')
    expect([await activity('e1'), await activity('e2'), await activity('e3')]).toEqual(['active', 'active', 'inactive'])
    await on('e2').services.stop('etcd')
    // Once ready it stays so, whatever becomes of the others; one that comes back alone is not.
    expect(await activity('e1')).toBe('active')
    expect((await on('e1').run(sh`systemctl restart --no-block etcd`)).code).toBe(0)
    expect(await activity('e1')).toBe('activating')
  })

  it('does not answer on https to who shows no certificate', async () => {
    const path = '/etc/systemd/system/etcd.service'
    for (const name of names.slice(0, 3)) {
      const text = (await on(name).files.read(path)) ?? ''
      await on(name).files.write(path, text.replaceAll('client-urls=http:', 'client-urls=https:'), { mode: '0644' })
      await on(name).services.reloadUnits()
      await on(name).files.write('/pki', 'x', { mode: '0600' })
    }
    await startAll()
    const url = `--endpoints=https://${fleet.host('e1').state.machine.address}:2379`
    expect(JSON.parse((await etcdctl('e1', url, '-w', 'json', 'endpoint', 'health')).stdout)).toMatchObject([
      { health: false, error: expect.stringContaining('certificate') },
    ])
    const proof = ['--cacert=/pki', '--cert=/pki', '--key=/pki']
    expect((await etcdctl('e1', url, ...proof, 'endpoint', 'health')).code).toBe(0)
    expect((await etcdctl('e1', url.replace('2379', '2399'), ...proof, 'endpoint', 'health')).code).toBe(1)
  })

  it('may not read what is root’s alone when it runs as somebody else', async () => {
    const path = '/etc/systemd/system/etcd.service'
    await on('e1').users.add({ name: 'etcd', system: true })
    await on('e1').files.write('/etc/etcd/server.key', 'x', { mode: '0600' })
    const text = (await on('e1').files.read(path)) ?? ''
    const asEtcd = text
      .replace('[Service]\n', '[Service]\nUser=etcd\nRestart=always\n')
      .replace('--name', '--key-file=/etc/etcd/server.key --name')
    await on('e1').files.write(path, asEtcd, { mode: '0644' })
    await on('e1').services.reloadUnits()
    await on('e1').services.start('etcd', { wait: false })
    expect((await on('e1').inspect([{ kind: 'unit', name: 'etcd' }]))[0].active).toBe('activating')
    expect((await on('e1').run(sh`journalctl -q -u etcd`)).stdout).toBe('open /etc/etcd/server.key: permission denied\n')
    await on('e1').files.setAttributes('/etc/etcd/server.key', { mode: '0600', owner: 'etcd:etcd' })
    await on('e1').services.restart('etcd', { wait: false })
    expect(fleet.host('e1').state.units.get('etcd.service')?.active).toBe('active')
  })

  it('begins anew when all data is gone', async () => {
    await startAll()
    for (const name of names.slice(0, 3)) {
      await on(name).services.stop('etcd')
      await on(name).files.remove('/var/lib/etcd', { recursive: true })
    }
    await putUnit('e4', ['e4'], 'new')
    await on('e4').services.start('etcd')
    expect(fleet.cluster.state.members.map(({ name }) => name)).toEqual(['e4'])
  })

  it('takes a new member only after it was added, and only while it is whole', async () => {
    await startAll()
    await putUnit('e4', names, 'existing')
    await expect(on('e4').services.start('etcd')).rejects.toMatchObject({ seen: expect.stringContaining('member count is unequal') })
    const url = `--peer-urls=${peer(fleet.host('e4'))}`
    await on('e1').services.stop('etcd')
    expect((await etcdctl('e2', 'member', 'add', 'e4', url)).stderr).toContain('not enough started members')
    await on('e1').services.start('etcd')
    expect((await etcdctl('e2', 'member', 'add', 'e4', url)).stdout).toContain('ETCD_INITIAL_CLUSTER_STATE="existing"')
    expect((await etcdctl('e2', 'member', 'list')).stdout).toContain('unstarted')
    await on('e4').services.start('etcd')
    expect((await etcdctl('e4', 'member', 'list')).stdout).not.toContain('unstarted')
  })

  it('keeps out whom it has removed, and whoever wants a cluster of his own', async () => {
    await startAll()
    const line = (await etcdctl('e1', 'member', 'list')).stdout.split('\n').find((text) => text.includes(', e3,')) ?? ''
    await on('e3').services.stop('etcd')
    expect((await etcdctl('e1', 'member', 'remove', line.split(',')[0] ?? '')).code).toBe(0)
    await expect(on('e3').services.start('etcd')).rejects.toMatchObject({ seen: expect.stringContaining('permanently removed') })
    await putUnit('e4', ['e4'], 'new')
    await expect(on('e4').services.start('etcd')).rejects.toMatchObject({ seen: expect.stringContaining('cluster ID mismatch') })
  })

  it('ends at once when a certificate it is told of is missing', async () => {
    const path = '/etc/systemd/system/etcd.service'
    const text = (await on('e1').files.read(path)) ?? ''
    await on('e1').files.write(path, text.replace('--name', '--cert-file=/etc/etcd/pki/server.crt --name'), { mode: '0644' })
    await on('e1').services.reloadUnits()
    await expect(on('e1').services.start('etcd')).rejects.toMatchObject({ seen: expect.stringContaining('open /etc/etcd/pki/server.crt') })
  })

  it('changes nothing of the cluster when the start is refused before it takes effect', async () => {
    const before = fleet.cluster.state
    fleet.faults.failAt(1, 'before')
    await expect(on('e1').services.start('etcd')).rejects.toMatchObject({ code: 'KX_SERVICE' })
    expect(fleet.cluster.state).toBe(before)
  })
})

describe('images', () => {
  const archive = async (): Promise<string> => {
    const manifest = JSON.stringify([{ RepoTags: ['registry.k8s.io/pause:3.10', 'registry.k8s.io/etcd:3.5'] }])
    return Buffer.from(
      gunzipSync(await packArchive({ 'layer.tar': { data: 'x'.repeat(700) }, 'manifest.json': { data: manifest } })),
    ).toString('latin1')
  }

  it('are imported while containerd runs, and go with its data', async () => {
    const runner = on('e1')
    await runner.files.write('/tmp/images.tar', await archive(), { mode: '0644' })
    await expect(runner.run(sh`ctr -n k8s.io images import /tmp/images.tar`)).rejects.toMatchObject({
      seen: expect.stringContaining('failed to dial'),
    })
    await runner.files.write('/etc/systemd/system/containerd.service', '[Service]\nExecStart=/usr/local/bin/containerd\n', { mode: '0644' })
    await runner.services.start('containerd')
    await runner.run(sh`ctr -n k8s.io images import /tmp/images.tar`)
    expect((await runner.run(sh`ctr -n k8s.io images ls -q`)).stdout).toBe('registry.k8s.io/etcd:3.5\nregistry.k8s.io/pause:3.10\n')
    expect(JSON.parse((await runner.run(sh`crictl images -o json`)).stdout).images).toHaveLength(2)
    await runner.files.write('/tmp/no.tar', 'text', { mode: '0644' })
    await expect(runner.run(sh`ctr images import /tmp/no.tar`)).rejects.toMatchObject({ seen: expect.stringContaining('unrecognized') })
    fleet.host('e1').setInternet(false)
    await expect(runner.run(sh`crictl pull docker.io/library/nginx:1`)).rejects.toMatchObject({ code: 'KX_COMMAND' })
    await runner.run(sh`ctr images tag registry.k8s.io/pause:3.10 local/pause:1 && ctr images rm registry.k8s.io/etcd:3.5`)
    expect((await runner.run(sh`crictl images -q`)).stdout).toBe('local/pause:1\nregistry.k8s.io/pause:3.10\n')
    await runner.services.stop('containerd')
    await runner.files.remove('/var/lib/containerd', { recursive: true })
  })
})
