import { beforeEach, describe, expect, it } from 'vitest'
import { type Runner, sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { SimulatedFleet, simulatedBinary } from './index.ts'

let fleet: SimulatedFleet
let on: Runner

const units = {
  etcd: '/usr/local/bin/etcd --name=a --data-dir=/var/lib/etcd --initial-cluster=a=http://10.0.0.2:2380 --initial-advertise-peer-urls=http://10.0.0.2:2380',
  'kube-apiserver': '/usr/local/bin/kube-apiserver',
  containerd: '/usr/local/bin/containerd',
  kubelet: '/usr/local/bin/kubelet --config=/var/lib/kubelet/config.yaml',
  'kube-proxy': '/usr/local/bin/kube-proxy --config=/etc/kubernetes/kube-proxy.yaml',
}
const config = (path: string, kind: string, ...lines: readonly string[]): Promise<void> =>
  on.files.write(path, [`kind: ${kind}`, ...lines, ''].join('\n'), { mode: '0600' })
const kubeletConfig = (...lines: readonly string[]) => config('/var/lib/kubelet/config.yaml', 'KubeletConfiguration', ...lines)
const proxyConfig = (mode: string) => config('/etc/kubernetes/kube-proxy.yaml', 'KubeProxyConfiguration', `mode: ${mode}`)
const refusal = (said: string) => ({ seen: expect.stringContaining(said) })

beforeEach(async () => {
  fleet = new SimulatedFleet({ hosts: ['a'] })
  on = fleet.runner('a')
  const put = (path: string, name: string): void =>
    fleet.host('a').meddle((state) => writeFile(state, path, new Content(simulatedBinary(name, 'amd64')), { mode: '0755' }))
  for (const program of [...Object.keys(units), 'kubectl']) put(`/usr/local/bin/${program}`, `${program} v1.34.4`)
  for (const [name, exec] of Object.entries(units))
    await on.files.write(`/etc/systemd/system/${name}.service`, `[Service]\nExecStart=${exec}\n`, { mode: '0644' })
  await on.files.write('/root/.kube/config', 'simulated\n', { mode: '0600' })
  await kubeletConfig()
  for (const name of ['etcd', 'kube-apiserver']) await on.services.start(name)
})

describe('a kubelet', () => {
  it('needs a runtime, a configuration of its kind, and every file that names', async () => {
    await expect(on.services.start('kubelet')).rejects.toMatchObject(refusal('CRI v1 runtime'))
    await on.services.start('containerd')
    await config('/var/lib/kubelet/config.yaml', 'KubeProxyConfiguration')
    await expect(on.services.start('kubelet')).rejects.toMatchObject(refusal('no kind KubeletConfiguration'))
    await kubeletConfig('tlsCertFile: /etc/kubernetes/pki/none.crt')
    await expect(on.services.start('kubelet')).rejects.toMatchObject(refusal('/etc/kubernetes/pki/none.crt'))
    await kubeletConfig('authentication: [')
    await expect(on.services.start('kubelet')).rejects.toMatchObject(refusal('failed to load config file'))
    await on.files.remove('/var/lib/kubelet/config.yaml')
    await expect(on.services.start('kubelet')).rejects.toMatchObject(refusal('no such file'))
  })

  it('makes its node with its taints and its version, and asks for a serving certificate if it is told to', async () => {
    await on.services.start('containerd')
    await kubeletConfig('serverTLSBootstrap: true', 'registerWithTaints: [{key: a, effect: NoSchedule}]')
    await on.services.start('kubelet')
    const table = (await on.run(sh`kubectl get nodes --no-headers`)).stdout
    expect(table.trim().split(/\s+/)).toEqual(['a', 'NotReady', '<none>', '1m', 'v1.34.4'])
    const path = '{range .items[*]}{.metadata.name}{"\\t"}{.spec.taints}{"\\t"}{.spec.none}{"\\n"}{end}'
    const taints = await on.run(sh`kubectl get nodes ${`--output=jsonpath=${path}`} --selector=${'kubernetes.io/hostname in (a,b)'}`)
    expect(taints.stdout).toBe('a\t[{"key":"a","effect":"NoSchedule"}]\t\n')
    const health = () => on.run(sh`kubectl get --raw=/api/v1/nodes/a/proxy/healthz`, { ok: 'any' })
    expect((await health()).stderr).toContain('tls: internal error')
    await on.run(sh`kubectl certificate approve csr-a`)
    expect((await health()).stdout).toBe('ok')
  })
})

describe('kube-proxy', () => {
  it('needs what its mode needs, and leaves its rules behind when it stops', async () => {
    await proxyConfig('nftables')
    await expect(on.services.start('kube-proxy')).rejects.toMatchObject(refusal('"nft": executable file not found'))
    await on.files.write('/usr/sbin/nft', Buffer.from(simulatedBinary('nft', 'amd64')).toString('latin1'), { mode: '0755' })
    await on.services.start('kube-proxy')
    await on.services.stop('kube-proxy')
    expect([...fleet.host('a').state.traces]).toEqual(['table ip kube-proxy', 'table ip6 kube-proxy'])
    fleet.host('a').reboot()
    expect(fleet.host('a').state.traces.size).toBe(0)
  })

  it('knows its modes, and that the kernel must know ipvs', async () => {
    await proxyConfig('fastest')
    await expect(on.services.start('kube-proxy')).rejects.toMatchObject(refusal('unknown proxy mode'))
    await proxyConfig('ipvs')
    await on.files.write('/usr/sbin/ipset', Buffer.from(simulatedBinary('ipset', 'amd64')).toString('latin1'), { mode: '0755' })
    await expect(on.services.start('kube-proxy')).rejects.toMatchObject(refusal('ip_vs is not there'))
  })
})

it('a script of ours is known by its name, whatever is in it', async () => {
  fleet.host('a').meddle((state) => ({ ...state, traces: new Set(['link cni0', 'link old0']) }))
  const look = () => on.run(sh`sh -c ${'for i in $(seq 3); do :; done'} kubexm-traces-look /var/lib/kubelet /none`)
  expect((await look()).stdout).toBe('link cni0\nlink old0\n')
  await on.run(sh`sh -c : kubexm-traces-clean /var/lib/kubelet /run/containerd`, { stdin: 'link old0\n' })
  expect((await look()).stdout).toBe('link old0\n')
})
