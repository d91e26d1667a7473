import { beforeEach, describe, expect, it } from 'vitest'
import { sh } from '../runner/index.ts'
import { toYaml } from '../util/yaml.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { memoryFiles, SimulatedFleet, simulatedBinary } from './index.ts'

let fleet: SimulatedFleet

/** An API server on the first of two nodes; neither has a way out. */
beforeEach(async () => {
  fleet = new SimulatedFleet({ hosts: ['a', 'b'], internet: false, localFiles: memoryFiles() })
  for (const host of fleet.hosts) {
    for (const name of ['etcd', 'kube-apiserver', 'kubelet', 'containerd', 'kubectl', 'ctr', 'crictl'])
      host.meddle((state) => writeFile(state, `/usr/local/bin/${name}`, new Content(simulatedBinary(name, 'amd64')), { mode: '0755' }))
    const on = host.runner()
    await on.files.write('/root/.kube/config', 'simulated\n', { mode: '0600' })
    await on.files.write('/var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration\n', { mode: '0600' })
    const peer = `http://${host.state.machine.address}:2380`
    const etcd = `etcd --name=a --data-dir=/var/lib/etcd --initial-cluster=a=${peer} --initial-advertise-peer-urls=${peer}`
    for (const exec of [...(host.name === 'a' ? [etcd, 'kube-apiserver'] : []), 'containerd', 'kubelet']) {
      const name = exec.split(' ')[0] ?? ''
      await on.files.write(`/etc/systemd/system/${name}.service`, `[Service]\nType=notify\nExecStart=/usr/local/bin/${exec}\n`, {
        mode: '0644',
      })
      await on.services.start(name)
    }
  }
})

const workload = (kind: string, name: string, pod: Record<string, never> | Record<string, boolean | object>, more = {}) =>
  toYaml({ apiVersion: 'apps/v1', kind, metadata: { name, namespace: 'kube-system' }, spec: { ...more, template: { spec: pod } } } as never)
const apply = (yaml: string) => fleet.runner('a').run(sh`kubectl apply -f -`, { stdin: yaml })
const get = async (...words: readonly string[]) =>
  JSON.parse((await fleet.runner('a').run(sh`kubectl get ${words} --namespace=kube-system --output=json`)).stdout)
const network = workload('DaemonSet', 'flannel', { hostNetwork: true, containers: [{ image: 'flannel:1' }] })
const give = async (...images: readonly string[]): Promise<void> => {
  for (const host of fleet.hosts) {
    host.setInternet(true)
    for (const image of images) await host.runner().run(sh`crictl pull ${image}`)
    host.setInternet(false)
  }
}

describe('workloads', () => {
  it('of a DaemonSet come up where their images are', async () => {
    await apply(network)
    expect((await get('daemonset', 'flannel')).status).toMatchObject({ desiredNumberScheduled: 2, numberReady: 0 })
    await give('flannel:1')
    expect((await get('daemonset', 'flannel')).status).toMatchObject({ desiredNumberScheduled: 2, numberReady: 2, numberAvailable: 2 })
    fleet.host('b').powerOff()
    expect((await get('daemonset', 'flannel')).status).toMatchObject({ desiredNumberScheduled: 2, numberReady: 1 })
  })

  it('make a node ready when they are its network', async () => {
    const ready = async () => (await get('node', 'b')).status.conditions[0].status
    await apply(network)
    expect(await ready()).toBe('False')
    await give('flannel:1')
    expect(await ready()).toBe('True')
  })

  it('of a Deployment go where they are tolerated, and need a node that is ready', async () => {
    const up = async () => (await get('deployment', 'dns')).status.readyReplicas ?? 0
    const pods = { containers: [{ image: 'dns:1' }] }
    await give('flannel:1', 'dns:1')
    await apply(workload('Deployment', 'dns', pods, { replicas: 2 }))
    expect(await up()).toBe(0)
    await apply(network)
    expect(await up()).toBe(2)
    for (const node of ['a', 'b']) await fleet.runner('a').run(sh`kubectl taint nodes ${node} control-plane=:NoSchedule`)
    expect(await up()).toBe(0)
    const tolerations = [{ key: 'control-plane', effect: 'NoSchedule', operator: 'Exists' }]
    await apply(workload('Deployment', 'dns', { ...pods, tolerations }, { replicas: 2 }))
    expect(await up()).toBe(2)
    for (const node of ['a', 'b']) await fleet.runner('a').run(sh`kubectl cordon ${node}`)
    expect(await up()).toBe(0)
  })
})
