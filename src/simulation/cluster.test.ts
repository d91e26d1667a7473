import { beforeEach, describe, expect, it } from 'vitest'
import { VirtualClock } from '../../test/support/virtual-clock.ts'
import { sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { diffSnapshots, SimulatedFleet, type SimulatedHost, simulatedBinary } from './index.ts'

const names = ['m1', 'm2', 'm3', 'w1']
let fleet: SimulatedFleet
let clock: VirtualClock

const unit = (exec: string): string => `[Service]\nExecStart=${exec}\n[Install]\nWantedBy=multi-user.target\n`
const binaries = { containerd: '', kubelet: '', 'kubeadm v1.33.4': 'kubeadm', kubectl: '', ctr: '', crictl: '', etcdctl: '' }

/** A host on which everything is installed that kubeadm asks for. */
async function prepare(host: SimulatedHost): Promise<void> {
  for (const [label, name] of Object.entries(binaries))
    host.meddle((state) =>
      writeFile(state, `/usr/local/bin/${name || label}`, new Content(simulatedBinary(label, 'amd64')), { mode: '0755' }),
    )
  const on = host.runner()
  await on.files.write('/etc/systemd/system/containerd.service', unit('/usr/local/bin/containerd'), { mode: '0644' })
  await on.files.write('/etc/systemd/system/kubelet.service', unit('/usr/local/bin/kubelet --config=/var/lib/kubelet/config.yaml'), {
    mode: '0644',
  })
  await on.services.enable('kubelet')
  await on.services.enable('containerd')
  await on.services.start('containerd')
  await on.kernel.setSysctl('net.ipv4.ip_forward', '1')
}

beforeEach(async () => {
  clock = new VirtualClock()
  fleet = new SimulatedFleet({ hosts: names, clock })
  for (const host of fleet.hosts) await prepare(host)
})

const on = (name: string) => fleet.runner(name)
const kubectl = (host: string, ...args: readonly string[]) =>
  on(host).run(sh`kubectl --kubeconfig /etc/kubernetes/admin.conf ${args}`, { ok: 'any' })
const nodes = async (host = 'm1'): Promise<Record<string, string>> => {
  const { stdout } = await kubectl(host, 'get', 'nodes', '-o', 'json')
  const { items } = JSON.parse(stdout) as { items: { metadata: { name: string }; status: { conditions: { status: string }[] } }[] }
  return Object.fromEntries(items.map(({ metadata, status }) => [metadata.name, status.conditions[0]?.status ?? '']))
}
const joinAll = async (): Promise<void> => {
  await on('m1').run(sh`kubeadm init --upload-certs`)
  const key = (await on('m1').run(sh`kubeadm init phase upload-certs --upload-certs`)).stdout.trim().split('\n').at(-1) ?? ''
  const token = (await on('m1').run(sh`kubeadm token create --ttl 1h`)).stdout.trim()
  for (const name of ['m2', 'm3']) await on(name).run(sh`kubeadm join lb:6443 --token ${token} --control-plane --certificate-key ${key}`)
  await on('w1').run(sh`kubeadm join lb:6443 --token ${token}`)
}
const calico = 'apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: calico-node\n  namespace: kube-system\n'
const apply = (host: string, yaml: string) =>
  on(host).run(sh`kubectl --kubeconfig /etc/kubernetes/admin.conf apply -f -`, { stdin: yaml, ok: 'any' })

describe('a cluster made by kubeadm', () => {
  it('becomes ready with a network, and says what it is made of', async () => {
    await joinAll()
    expect(await nodes()).toEqual({ m1: 'False', m2: 'False', m3: 'False', w1: 'False' })
    expect((await apply('m1', calico)).stdout).toBe('daemonset/calico-node created\n')
    expect((await apply('m2', calico)).stdout).toBe('daemonset/calico-node unchanged\n')
    expect(await nodes('m3')).toEqual({ m1: 'True', m2: 'True', m3: 'True', w1: 'True' })
    expect((await kubectl('m1', 'rollout', 'status', 'deployment/coredns', '-n', 'kube-system')).code).toBe(0)
    expect((await kubectl('m1', 'get', '--raw', '/readyz')).stdout).toBe('ok\n')
    expect((await on('m1').run(sh`etcdctl member list`)).stdout.trim().split('\n')).toHaveLength(3)
    expect(await on('m1').files.list('/etc/kubernetes/manifests')).toEqual([
      'etcd.yaml',
      'kube-apiserver.yaml',
      'kube-controller-manager.yaml',
      'kube-scheduler.yaml',
    ])
    fleet.host('w1').powerOff()
    expect(await nodes()).toMatchObject({ w1: 'Unknown', m1: 'True' })
    expect((await kubectl('m1', 'wait', '--for=condition=Ready', 'node/w1')).stderr).toContain('timed out')
  })

  it('reports everything that is wrong with a host before it touches it', async () => {
    const bare = new SimulatedFleet({ hosts: [{ name: 'x', cpus: 1, swapAreas: [{ path: '/dev/vda2', sizeMiB: 1 }] }] })
    bare
      .host('x')
      .meddle((state) => writeFile(state, '/usr/bin/kubeadm', new Content(simulatedBinary('kubeadm', 'amd64')), { mode: '0755' }))
    const before = bare.host('x').snapshot()
    const { code, stderr } = await bare.runner('x').run(sh`kubeadm init`, { ok: 'any' })
    expect(code).toBe(1)
    for (const problem of ['CRI', 'Swap', 'ip_forward', 'KubeletNotFound', 'NumCPU'])
      expect(stderr).toContain(`[ERROR ${problem === 'ip_forward' ? 'FileContent' : problem}`)
    expect(diffSnapshots(before, bare.host('x').snapshot())).toEqual([])
  })

  it('lets nobody in with a token or a key that has ended', async () => {
    await on('m1').run(sh`kubeadm init`)
    const token = (await on('m1').run(sh`kubeadm token create --ttl 1h`)).stdout.trim()
    await expect(on('w1').run(sh`kubeadm join lb:6443 --token abcdef.0123456789abcdef`)).rejects.toMatchObject({
      seen: expect.stringContaining('JWS'),
    })
    await expect(on('m2').run(sh`kubeadm join lb:6443 --token ${token} --control-plane`)).rejects.toMatchObject({
      seen: expect.stringContaining('kubeadm-certs'),
    })
    await clock.run(clock.sleep(2 * 3_600_000))
    await expect(on('w1').run(sh`kubeadm join lb:6443 --token ${token}`)).rejects.toMatchObject({ seen: expect.stringContaining('JWS') })
    expect(Object.keys(await nodes())).toEqual(['m1'])
  })

  it('is upgraded one minor version at a time', async () => {
    await on('m1').run(sh`kubeadm init`)
    await expect(on('m1').run(sh`kubeadm upgrade apply v1.34.0`)).rejects.toMatchObject({
      seen: expect.stringContaining('higher than the kubeadm version'),
    })
    for (const version of ['v1.35.1', 'v1.34.1'])
      fleet
        .host('m1')
        .meddle((state) =>
          writeFile(state, '/usr/local/bin/kubeadm', new Content(simulatedBinary(`kubeadm ${version}`, 'amd64')), { mode: '0755' }),
        )
    expect((await on('m1').run(sh`kubeadm version -o short`)).stdout).toBe('v1.34.1\n')
    await on('m1').run(sh`kubeadm upgrade apply v1.34.1`)
    expect(fleet.cluster.state.version).toBe('v1.34.1')
    await expect(on('m1').run(sh`kubeadm upgrade apply v1.33.0`)).rejects.toMatchObject({ seen: expect.stringContaining('lower') })
  })

  it('is gone after a reset, the host nearly as it was', async () => {
    const before = fleet.host('m1').snapshot()
    await on('m1').run(sh`kubeadm init`)
    await on('m1').run(sh`kubeadm reset -f`)
    const left = diffSnapshots(before, fleet.host('m1').snapshot())
    expect(left.map((line) => line.split(' ')[2])).toEqual([
      '/etc/kubernetes',
      '/etc/kubernetes/manifests',
      '/etc/kubernetes/pki',
      '/var/lib/etcd',
      '/var/lib/kubelet',
    ])
    await on('m1').run(sh`kubeadm init`)
  })

  it('comes back after a restart of every host', async () => {
    await joinAll()
    await apply('m1', calico)
    for (const host of fleet.hosts) host.reboot()
    expect(await nodes()).toEqual({ m1: 'True', m2: 'True', m3: 'True', w1: 'True' })
    await on('w1').run(sh`systemctl disable containerd`)
    fleet.host('w1').reboot()
    expect(await nodes()).toMatchObject({ w1: 'False' })
  })
})
