// Ops that need an API server or a container runtime, on one simulated machine that has both.
import { describe, expect, it } from 'vitest'
import { hostPaths, type Runner, sh } from '../../src/runner/index.ts'
import type { StepContext } from '../../src/runtime/index.ts'
import { memoryFiles, packImage, SimulatedArtifacts, SimulatedFleet, simulatedBinary } from '../../src/simulation/index.ts'
import { importImage, pullImage } from '../../src/step/generic/image.ts'
import { kubectlApply } from '../../src/step/generic/kubernetes.ts'
import { type Op, undoThing } from '../../src/step/index.ts'
import { sha256 } from '../../src/util/hash.ts'
import type { Json } from '../../src/util/json.ts'

const units = {
  etcd: '/usr/local/bin/etcd --name=a --data-dir=/var/lib/etcd --initial-cluster=a=http://10.0.0.2:2380 --initial-advertise-peer-urls=http://10.0.0.2:2380',
  'kube-apiserver': '/usr/local/bin/kube-apiserver --secure-port=6443',
  containerd: '/usr/local/bin/containerd',
}

const pause = 'registry.k8s.io/pause:3.10'

async function machine(localFiles = memoryFiles()): Promise<Runner> {
  const on = new SimulatedFleet({ hosts: ['a'], localFiles }).runner('a')
  for (const program of ['etcd', 'kube-apiserver', 'containerd', 'kubectl', 'ctr', 'crictl']) {
    await on.files.write(`/usr/local/bin/${program}`, Buffer.from(simulatedBinary(program, 'amd64')).toString('latin1'), { mode: '0755' })
  }
  await on.files.write('/etc/kubernetes/admin.conf', 'simulated\n', { mode: '0600' })
  for (const [name, exec] of Object.entries(units)) {
    await on.files.write(`/etc/systemd/system/${name}.service`, `[Service]\nType=notify\nExecStart=${exec}\n`, { mode: '0644' })
    await on.services.reloadUnits()
    await on.services.start(name)
  }
  return on
}

/** Does an op and undoes it, with a look before, between and after. */
async function thereAndBack(on: Runner, op: Op, between: () => Promise<void>): Promise<void> {
  const look = async (): Promise<Json> => (await on.inspect([op.probe]))[0] as Json
  const before = await look()
  expect(op.isDone(before)).toBe(false)
  await op.apply(on, {} as StepContext, before)
  expect(op.isDone(await look())).toBe(true)
  await between()
  await undoThing(on, op.kind.name, op.id, op.capture(before))
  expect(op.isDone(await look())).toBe(false)
}

describe('on a machine with an API server and a container runtime', () => {
  it('a manifest is applied, known by its hash, and deleted', async () => {
    const on = await machine()
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: demo, namespace: default}\ndata: {key: value}\n'
    await on.files.write('/etc/kubernetes/demo.yaml', yaml, { mode: '0644' })
    const find = () =>
      on.run(sh`kubectl --kubeconfig=/etc/kubernetes/admin.conf get configmap demo --namespace=default --output=json`, { ok: 'any' })
    await thereAndBack(on, kubectlApply({ name: 'demo', path: '/etc/kubernetes/demo.yaml', yaml }), async () => {
      expect((await find()).stdout).toContain('value')
      expect(kubectlApply({ name: 'demo', path: '/etc/kubernetes/demo.yaml', yaml: `${yaml}# other\n` }).isDone(await probe())).toBe(false)
    })
    expect((await find()).code).not.toBe(0)
    async function probe(): Promise<Json> {
      return (await on.inspect([kubectlApply({ name: 'demo', path: '', yaml: '' }).probe]))[0] as Json
    }
  })

  it('an image is pulled and removed again', async () => {
    const on = await machine()
    await thereAndBack(on, pullImage(pause), async () => {})
  })

  it('an image is imported from this machine and removed again', async () => {
    const files = memoryFiles()
    const on = await machine(files)
    const { path, sha256 } = await new SimulatedArtifacts(files).make({ id: 'pause', kind: 'image', image: pause, arch: 'amd64' })
    await thereAndBack(on, importImage({ image: pause, from: path, sha256 }), async () => {
      expect(await on.files.list(`${hostPaths.root}/arriving`)).toEqual([])
    })
  })

  it.each([
    ['for another architecture', async () => packImage(pause, 'arm64'), 'filtered out'],
    ['that is none', async () => Buffer.from('not an archive at all'), 'unrecognized image format'],
  ])('an archive %s is refused, and stays for another try', async (_, bytes, why) => {
    const archive = await bytes()
    const on = await machine(memoryFiles({ '/image.tar': archive }))
    const op = importImage({ image: pause, from: '/image.tar', sha256: sha256(archive) })
    await expect(op.apply(on, {} as StepContext, null)).rejects.toMatchObject({ code: 'KX_COMMAND', seen: expect.stringContaining(why) })
    expect(await on.files.list(`${hostPaths.root}/arriving`)).toEqual([`${sha256(archive)}.tar`])
  })
})
