import { beforeEach, describe, expect, it } from 'vitest'
import { sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { SimulatedFleet, simulatedBinary } from './index.ts'

let fleet: SimulatedFleet
const run = (...args: readonly string[]) => fleet.runner('a').run(sh`kubectl ${args}`, { ok: 'any' })

/** One etcd, one API server and a kubelet that was there before it; containers of static pods run on b. */
beforeEach(async () => {
  fleet = new SimulatedFleet({ hosts: ['a', 'b'] })
  for (const host of fleet.hosts) {
    for (const program of ['etcd', 'kube-apiserver v1.34.4', 'kubelet', 'containerd', 'kubectl', 'etcdctl', 'crictl'])
      host.meddle((state) =>
        writeFile(state, `/usr/local/bin/${program.split(' ')[0]}`, new Content(simulatedBinary(program, 'amd64')), { mode: '0755' }),
      )
    const on = host.runner()
    const peer = `http://${host.state.machine.address}:2380`
    await on.files.write('/root/.kube/config', 'simulated\n', { mode: '0600' })
    await on.files.write('/var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration\n', { mode: '0600' })
    const units = {
      etcd: `/usr/local/bin/etcd --name=${host.name} --data-dir=/var/lib/etcd --initial-cluster=${host.name}=${peer} --initial-advertise-peer-urls=${peer}`,
      'kube-apiserver': '/usr/local/bin/kube-apiserver --secure-port=6443',
      containerd: '/usr/local/bin/containerd',
      kubelet: '/usr/local/bin/kubelet',
    }
    for (const [name, exec] of Object.entries(units))
      await on.files.write(`/etc/systemd/system/${name}.service`, `[Service]\nType=notify\nExecStart=${exec}\n`, { mode: '0644' })
    await on.services.start('containerd')
    await on.services.start('kubelet')
  }
  for (const unit of ['etcd', 'kube-apiserver']) await fleet.runner('a').services.start(unit)
})

describe('a simulated cluster', () => {
  it('gets the nodes whose kubelets waited for it, but not one that was deleted since', async () => {
    expect((await run('get', 'nodes', '-o', 'name')).stdout).toBe('node/a\nnode/b\n')
    await run('delete', 'node', 'b')
    expect((await run('get', 'nodes', '-o', 'name')).stdout).toBe('node/a\n')
  })

  it('tells its version, and which check fails', async () => {
    expect(JSON.parse((await run('get', '--raw=/version')).stdout)).toEqual({ gitVersion: 'v1.34.4' })
    expect((await run('get', '--raw=/readyz?verbose')).stdout).toContain('[+]etcd ok')
    await fleet.runner('a').services.stop('etcd')
    expect(await run('get', '--raw=/readyz?verbose')).toMatchObject({ code: 1, stderr: expect.stringContaining('[-]etcd failed') })
  })

  it('answers at the API server that is asked for, and at no other', async () => {
    const [a = '', b = ''] = fleet.hosts.map((host) => `https://${host.state.machine.address}:6443`)
    expect((await run('get', '--raw=/version', `--server=${a}`)).code).toBe(0)
    expect((await run('get', '--raw=/version', `--server=${b}`)).stderr).toContain('refused')
  })

  it('lists the pods of workloads and kubelets, and why one is not up', async () => {
    await fleet.runner('b').files.write('/etc/kubernetes/manifests/haproxy.yaml', 'kind: Pod\n', { mode: '0600' })
    const workload = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'coredns', namespace: 'kube-system' } }
    const template = { spec: { containers: [{ name: 'c', image: 'registry.k8s.io/nothing:1' }] } }
    const stdin = JSON.stringify({ ...workload, spec: { replicas: 1, template } })
    await fleet.runner('a').run(sh`kubectl apply -f -`, { stdin })
    expect((await run('get', 'pods', '--all-namespaces', '--no-headers')).stdout.split('\n')).toEqual([
      'kube-system   coredns-0   0/1   ContainerCreating   0   1m',
      'kube-system   haproxy-b   1/1   Running   0   1m',
      '',
    ])
    const pod = JSON.parse((await run('get', 'pod', 'haproxy-b', '-n', 'kube-system', '-o', 'json')).stdout)
    expect(pod).toMatchObject({ spec: { nodeName: 'b' }, status: { phase: 'Running' } })
  })

  it('has an etcd that tells who leads, asked on the host or in its pod', async () => {
    const on = fleet.runner('a')
    const [status] = JSON.parse((await on.run(sh`etcdctl endpoint status -w json`)).stdout)
    expect(status.Status).toMatchObject({ version: '3.5.21', dbSize: expect.any(Number) })
    expect(status.Status.leader).toBe(status.Status.header.member_id)
    expect((await on.run(sh`etcdctl --endpoints=192.0.2.99:2379 endpoint status -w json`, { ok: 'any' })).code).toBe(1)
    expect((await on.run(sh`crictl exec sim-etcd etcdctl endpoint health`, { ok: 'any' })).stderr).toContain('not found')
    await on.files.write('/etc/kubernetes/manifests/etcd.yaml', 'kind: Pod\n', { mode: '0600' })
    expect((await on.run(sh`crictl ps --quiet --state=running ${'--name=^etcd$'}`)).stdout).toBe('sim-etcd\n')
    expect((await on.run(sh`crictl exec sim-etcd etcdctl endpoint health`)).stdout).toContain('is healthy')
  })
})
