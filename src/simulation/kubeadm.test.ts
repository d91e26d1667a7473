import { beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { kubeadmCluster } from '../../test/support/kubeadm.ts'
import { createPki, memoryStore, type Pki } from '../pki/index.ts'
import { type Output, sh } from '../runner/index.ts'
import { withObject } from './cluster-state.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { SimulatedFleet, simulatedBinary } from './index.ts'

const unit = (exec: string): string => `[Service]\nExecStart=${exec}\n`
const discovery = '/etc/kubernetes/discovery.conf'
let fleet: SimulatedFleet
let pki: Pki

const on = (name: string) => fleet.runner(name)
const run = (name: string, ...words: readonly string[]): Promise<Output> => on(name).run(sh`kubeadm ${words}`, { ok: 'any' })
const write = (name: string, path: string, text: string) => on(name).files.write(path, text, { mode: '0600' })

/** A configuration for one host, of the API a version speaks. */
const joinYaml = (over: Readonly<Record<string, unknown>> = {}, api = 'v1beta4'): string =>
  stringify({ apiVersion: `kubeadm.k8s.io/${api}`, kind: 'JoinConfiguration', discovery: { file: { kubeConfigPath: discovery } }, ...over })

async function prepare(version: string): Promise<void> {
  const { cluster, hosts } = kubeadmCluster({ masters: 2, workers: 1 })
  pki = createPki({ cluster, store: memoryStore() })
  fleet = new SimulatedFleet({ hosts: hosts.map(({ name, address }) => ({ name, address })) })
  const programs = { kubelet: 'kubelet', kubectl: 'kubectl', containerd: 'containerd', [`kubeadm ${version}`]: 'kubeadm' }
  for (const host of fleet.hosts) {
    for (const [label, name] of Object.entries(programs))
      host.meddle((state) => writeFile(state, `/usr/local/bin/${name}`, new Content(simulatedBinary(label, 'amd64')), { mode: '0755' }))
    await write(host.name, '/etc/systemd/system/containerd.service', unit('/usr/local/bin/containerd'))
    await write(host.name, '/etc/systemd/system/kubelet.service', unit('/usr/local/bin/kubelet --config=/var/lib/kubelet/config.yaml'))
    await on(host.name).services.start('containerd')
    await on(host.name).kernel.setSysctl('net.ipv4.ip_forward', '1')
  }
  const { cert, key } = await pki.authority('kubernetes')
  await write('m1', '/etc/kubernetes/pki/ca.crt', cert)
  await write('m1', '/etc/kubernetes/pki/ca.key', key?.reveal() ?? '')
  await write('w1', '/join.yaml', joinYaml())
}

const joiner = async (host: string, server?: string): Promise<string> => (await pki.kubeconfig('joiner', host, server)).text.reveal()

describe('a simulated kubeadm', () => {
  beforeEach(() => prepare('v1.34.4'))

  it('takes the certificates that are there, and makes the others', async () => {
    await run('m1', 'init')
    expect(await on('m1').files.read('/etc/kubernetes/pki/ca.crt')).toBe((await pki.authority('kubernetes')).cert)
    expect(await on('m1').files.read('/etc/kubernetes/pki/apiserver.crt')).toContain('simulated')
  })

  it.each([
    ['preflight,certs,addon/coredns', 0, ''],
    ['certs,no-such-phase', 1, 'invalid phase name: no-such-phase'],
  ])('leaves out the phases it knows: %s', async (phases, code, says) => {
    await run('m1', 'init', 'phase', 'certs', 'all')
    const answer = await run('m1', 'init', `--skip-phases=${phases}`)
    expect(answer.code).toBe(code)
    expect(answer.stderr).toContain(says)
    expect(fleet.cluster.state.objects.has('Deployment/kube-system/coredns')).toBe(false)
  })

  it('needs certificates for its kubeconfigs, and an API server that comes up', async () => {
    await on('m1').files.remove('/etc/kubernetes/pki/ca.key')
    expect((await run('m1', 'init', '--skip-phases=certs')).stderr).toContain('CA files')
    await write('m1', '/etc/kubernetes/pki/ca.key', 'x')
    expect((await run('m1', 'init', '--skip-phases=certs')).stderr).toContain('wait-control-plane')
    expect((await run('m1', 'init')).stderr).toContain('FileAvailable--etc-kubernetes-manifests-kube-apiserver.yaml')
    expect((await run('m1', 'init', '--skip-phases=preflight')).code).toBe(0)
  })

  it('lets hosts in by a file with a certificate of the right group and the right authority, from an API server that answers', async () => {
    await run('m1', 'init')
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain('no such file')
    await write('w1', discovery, await joiner('w1', 'https://192.0.2.2:6443'))
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain('connection refused')
    await write('w1', discovery, await joiner('w1', 'https://nobody.example.com:6443'))
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain('no such host')
    await write('w1', discovery, (await pki.kubeconfig('admin', 'local', 'https://192.0.2.1:6443')).text.reveal())
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain('forbidden')
    const other = createPki({ cluster: kubeadmCluster({ masters: 1, workers: 1 }).cluster, store: memoryStore() })
    await write('w1', discovery, (await other.kubeconfig('joiner', 'w1')).text.reveal())
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain('unknown authority')
    await write('w1', discovery, await joiner('w1'))
    expect((await run('w1', 'join', '--config=/join.yaml')).code).toBe(0)
    expect(fleet.cluster.state.objects.has('Node//w1')).toBe(true)
  })

  it('refuses to bootstrap a node that is ready, and a worker that was joined before', async () => {
    await run('m1', 'init')
    await write('w1', discovery, await joiner('w1'))
    await run('w1', 'join', '--config=/join.yaml')
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toMatch(/kubelet.conf already exists[\s\S]*ca.crt already exists/)
    fleet.cluster.state = withObject(fleet.cluster.state, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'kube-flannel-ds', namespace: 'kube-flannel' },
    })
    expect((await run('w1', 'join', '--config=/join.yaml', '--skip-phases=preflight')).stderr).toContain('status "Ready" already exists')
    const skipped = '--skip-phases=preflight,kubelet-start,kubelet-wait-bootstrap'
    expect((await run('w1', 'join', '--config=/join.yaml', skipped)).code).toBe(0)
  })

  it('takes a master in with the certificates all share, and out of etcd again', async () => {
    await run('m1', 'init')
    await write('m2', '/join.yaml', joinYaml({ controlPlane: {} }))
    await write('m2', discovery, await joiner('m2'))
    expect((await run('m2', 'join', '--config=/join.yaml')).stderr).toContain('kubeadm-certs')
    for (const name of ['ca.crt', 'ca.key', 'sa.key', 'sa.pub'])
      await write('m2', `/etc/kubernetes/pki/${name}`, (await on('m1').files.read(`/etc/kubernetes/pki/${name}`)) ?? '')
    expect((await run('m2', 'join', '--config=/join.yaml')).code).toBe(0)
    expect(fleet.cluster.state.members.map(({ host }) => host)).toEqual(['m1', 'm2'])
    await write('m2', '/proof', 'of who asks')
    const proofs = ['--certificate-authority=/proof', '--client-certificate=/proof', '--client-key=/proof']
    const ask = (what: string, question: object): Promise<Output> =>
      on('m2').run(sh`kubectl --server=https://192.0.2.1:2379 ${proofs} create ${`--raw=/v3/cluster/${what}`} -f -`, {
        stdin: JSON.stringify(question),
        ok: 'any',
      })
    const { members } = JSON.parse((await ask('member/list', {})).stdout) as { members: readonly { ID: string; name: string }[] }
    const own = members.find(({ name }) => name === 'm2')?.ID
    expect((await ask('member/remove', { ID: own })).code).toBe(0)
    expect((await ask('member/remove', { ID: own })).stderr).toContain('member not found')
    expect(fleet.cluster.state.members.map(({ host }) => host)).toEqual(['m1'])
  })
})

describe.each([
  ['v1.30.14', 'v1beta4', 'experimental'],
  ['v1.31.0', 'v1beta3', null],
  ['v1.37.1', 'v1beta3', 'old API spec'],
  ['v1.37.1', 'v1beta4', null],
])('a simulated kubeadm of %s', (version, api, refusal) => {
  beforeEach(() => prepare(version))

  it(`${refusal === null ? 'reads' : 'refuses'} ${api}, and arguments only in its form`, async () => {
    await run('m1', 'init')
    await write('w1', discovery, await joiner('w1'))
    const form = (kubeletExtraArgs: unknown): Promise<void> =>
      write('w1', '/join.yaml', joinYaml({ nodeRegistration: { kubeletExtraArgs } }, api))
    await form(api === 'v1beta4' ? {} : [])
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain(refusal ?? 'cannot unmarshal')
    await form(api === 'v1beta4' ? [] : {})
    expect((await run('w1', 'join', '--config=/join.yaml')).stderr).toContain(refusal ?? '')
    expect(fleet.cluster.state.objects.has('Node//w1')).toBe(refusal === null)
  })
})
