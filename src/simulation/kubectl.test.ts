import { beforeEach, describe, expect, it } from 'vitest'
import { sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { SimulatedFleet, simulatedBinary } from './index.ts'

let fleet: SimulatedFleet
const flags = '--secure-port=6443'

/** Binary control plane: three etcd members, one API server, one kubelet. */
beforeEach(async () => {
  fleet = new SimulatedFleet({ hosts: ['a', 'b', 'c'] })
  const initial = fleet.hosts.map((host) => `${host.name}=http://${host.state.machine.address}:2380`).join(',')
  for (const host of fleet.hosts) {
    for (const program of ['etcd', 'kube-apiserver', 'kubelet', 'containerd', 'kubectl'])
      host.meddle((state) =>
        writeFile(state, `/usr/local/bin/${program}`, new Content(simulatedBinary(program, 'amd64')), { mode: '0755' }),
      )
    const on = host.runner()
    await on.files.write('/root/.kube/config', 'simulated\n', { mode: '0600' })
    await on.files.write('/var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration\n', { mode: '0600' })
    const units = {
      etcd: `/usr/local/bin/etcd --name=${host.name} --data-dir=/var/lib/etcd --initial-cluster=${initial} --initial-advertise-peer-urls=http://${host.state.machine.address}:2380`,
      'kube-apiserver': `/usr/local/bin/kube-apiserver ${flags}`,
      containerd: '/usr/local/bin/containerd',
      kubelet: '/usr/local/bin/kubelet',
    }
    for (const [name, exec] of Object.entries(units))
      await on.files.write(`/etc/systemd/system/${name}.service`, `[Service]\nType=notify\nExecStart=${exec}\n`, { mode: '0644' })
  }
})

const run = (...args: readonly string[]) => fleet.runner('a').run(sh`kubectl ${args}`, { ok: 'any' })
const apply = (yaml: string) => fleet.runner('a').run(sh`kubectl apply -f -`, { ok: 'any', stdin: yaml })
const start = async (): Promise<void> => {
  for (const name of ['a', 'b', 'c']) await fleet.runner(name).services.start('etcd', { wait: false })
  await fleet.runner('a').services.start('kube-apiserver')
  await fleet.runner('a').services.start('containerd')
  await fleet.runner('a').services.start('kubelet')
}
const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: kube-system }\ndata: { key: ${value} }\n`

describe('the API server', () => {
  it('needs etcd to start, and its majority to write; reading goes on without', async () => {
    await fleet.runner('a').services.start('etcd', { wait: false })
    await expect(fleet.runner('a').services.start('kube-apiserver')).rejects.toMatchObject({
      seen: expect.stringContaining('dialing etcd'),
    })
    await start()
    expect((await apply(configMap('x', '1'))).stdout).toBe('configmap/x created\n')
    fleet.host('b').powerOff()
    fleet.host('c').powerOff()
    expect(await apply(configMap('x', '2'))).toMatchObject({ code: 1, stderr: 'Error from server: etcdserver: request timed out\n' })
    expect((await run('get', 'cm', 'x', '-n', 'kube-system', '-o', 'json')).stdout).toContain('"key":1')
    await fleet.runner('a').services.stop('kube-apiserver')
    expect((await run('get', 'nodes')).stderr).toContain('refused')
  })

  it('comes up by itself once etcd has its majority again', async () => {
    await start()
    const path = '/etc/systemd/system/kube-apiserver.service'
    await fleet
      .runner('a')
      .files.write(path, `${await fleet.runner('a').files.read(path)}Restart=always\n[Install]\nWantedBy=multi-user.target\n`, {
        mode: '0644',
      })
    await fleet.runner('a').services.enable('kube-apiserver')
    for (const name of ['b', 'c']) await fleet.runner(name).services.stop('etcd')
    fleet.host('a').reboot()
    fleet.settle()
    expect(fleet.host('a').state.units.get('kube-apiserver.service')?.active).toBe('failed')
    for (const name of ['a', 'b', 'c']) await fleet.runner(name).services.start('etcd', { wait: false })
    fleet.settle()
    expect((await run('get', '--raw', '/readyz')).stdout).toBe('ok\n')
  })

  it('holds port 6443 against others', async () => {
    await start()
    await fleet
      .runner('a')
      .files.write('/etc/systemd/system/second.service', '[Service]\nExecStart=/usr/local/bin/kube-apiserver\n', { mode: '0644' })
    await expect(fleet.runner('a').services.start('second')).rejects.toMatchObject({
      seen: expect.stringContaining('address already in use'),
    })
  })
})

describe('kubectl', () => {
  beforeEach(start)

  it('applies, finds and deletes what several documents say', async () => {
    const both = `${configMap('x', 'one')}---\n${configMap('y', 'two')}---\n`
    expect((await apply(both)).stdout).toBe('configmap/x created\nconfigmap/y created\n')
    expect((await apply(both.replace('two', 'three'))).stdout).toBe('configmap/x unchanged\nconfigmap/y configured\n')
    expect((await run('get', 'configmaps', '-n', 'kube-system', '-o', 'name')).stdout).toBe('configmap/x\nconfigmap/y\n')
    const remove = (...more: readonly string[]) => fleet.runner('a').run(sh`kubectl delete ${more} -f -`, { ok: 'any', stdin: both })
    expect((await remove()).code).toBe(0)
    expect((await remove()).stderr).toContain('NotFound')
    expect((await remove('--ignore-not-found')).code).toBe(0)
    expect((await run('get', 'cm', 'x', '-n', 'kube-system')).stderr).toContain('NotFound')
  })

  it.each([
    [
      'a namespace that is not there',
      'apiVersion: v1\nkind: Secret\nmetadata: { name: s, namespace: nowhere }\n',
      'namespaces "nowhere" not found',
    ],
    ['an object without a name', 'apiVersion: v1\nkind: Secret\n', 'metadata.name'],
    ['text that is no YAML', 'a: [', 'error parsing'],
  ])('refuses %s', async (_, yaml, says) => {
    const before = fleet.cluster.state
    expect((await apply(yaml)).stderr).toContain(says)
    expect(fleet.cluster.state).toBe(before)
  })

  it('cordons, labels and taints a node that registered itself', async () => {
    const node = async () => JSON.parse((await run('get', 'node', 'a', '-o', 'json')).stdout)
    await run('cordon', 'a')
    expect((await node()).spec.unschedulable).toBe(true)
    await run('uncordon', 'a')
    await run('label', 'node', 'a', 'zone=1', 'disk=ssd')
    expect((await run('label', 'node', 'a', 'zone=2')).stderr).toContain('overwrite')
    await run('label', 'node/a', 'zone=2', 'disk-', '--overwrite')
    await run('taint', 'nodes', 'a', 'dedicated=db:NoSchedule')
    expect(await node()).toMatchObject({
      metadata: { labels: { zone: '2' } },
      spec: { unschedulable: false, taints: [{ key: 'dedicated', value: 'db', effect: 'NoSchedule' }] },
    })
    expect((await node()).metadata.labels).not.toHaveProperty('disk')
    await run('taint', 'nodes', 'a', 'dedicated:NoSchedule-')
    expect((await node()).spec.taints).toEqual([])
    expect((await run('get', 'nodes', '-l', 'zone=2', '-o', 'name')).stdout).toBe('node/a\n')
    expect((await run('get', 'nodes', '-l', 'zone!=2', '-o', 'name')).stdout).toBe('')
    expect((await run('drain', 'nobody')).stderr).toContain('NotFound')
    expect((await run('delete', 'node', 'a')).code).toBe(0)
  })

  it('needs a kubeconfig', async () => {
    await fleet.runner('a').files.remove('/root/.kube/config')
    expect((await run('get', 'nodes')).stderr).toContain('localhost:8080')
    expect((await run('--kubeconfig', '/no/config', 'get', 'nodes')).stderr).toContain('no such file')
  })

  it('is a change when it changes the cluster, and counts as one', async () => {
    const host = fleet.host('a')
    const count = host.mutations.length
    await run('get', 'nodes')
    expect(host.mutations.length).toBe(count)
    const before = fleet.cluster.state
    fleet.faults.failAt(1, 'before')
    await expect(apply(configMap('z', '1'))).rejects.toMatchObject({ code: 'KX_COMMAND' })
    expect(fleet.cluster.state).toBe(before)
    fleet.faults.failAt(1, 'after')
    await expect(apply(configMap('z', '1'))).rejects.toMatchObject({ code: 'KX_COMMAND' })
    expect(fleet.cluster.state).not.toBe(before)
    expect(host.mutations.length).toBe(count + 2)
  })
})
