import { type Runner, sh } from '../../src/runner/index.ts'
import { simulatedBinary } from '../../src/simulation/index.ts'
import type { Rehearsal } from './rehearsal.ts'

/** Puts programs a simulated host can start where kubexm installs them. */
async function installPrograms(on: Runner, ...names: readonly string[]): Promise<void> {
  for (const name of names)
    await on.files.write(`/usr/local/bin/${name}`, Buffer.from(simulatedBinary(name, 'amd64')).toString('latin1'), { mode: '0755' })
}

/** Runs a program as a service. */
async function runService(on: Runner, name: string, ...flags: readonly string[]): Promise<void> {
  const unit = `[Service]\nType=notify\nExecStart=/usr/local/bin/${[name, ...flags].join(' ')}\n`
  await on.files.write(`/etc/systemd/system/${name}.service`, unit, { mode: '0644' })
  await on.services.reloadUnits()
  await on.services.start(name)
}

/** Hosts as they are once the container runtime is up. */
export const withRuntime = (rehearsal: Rehearsal): Promise<void> =>
  rehearsal.prepare(async (on) => {
    await installPrograms(on, 'containerd', 'ctr', 'crictl')
    await runService(on, 'containerd')
  })

/** Hosts as they are once the control plane runs on the first of them and all are nodes. They have these images, and no way to others. */
export async function withControlPlane(rehearsal: Rehearsal, images: readonly string[]): Promise<void> {
  const [first] = rehearsal.hosts
  await withRuntime(rehearsal)
  await rehearsal.prepare(async (on) => {
    await installPrograms(on, 'etcd', 'kube-apiserver', 'kubelet', 'kubectl')
    if (on.host === first?.name) {
      const peer = `http://${first.address}:2380`
      await runService(
        on,
        'etcd',
        '--name=a',
        '--data-dir=/var/lib/etcd',
        `--initial-cluster=a=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
      )
      await runService(on, 'kube-apiserver', '--secure-port=6443')
      await on.files.write('/etc/kubernetes/admin.conf', 'simulated\n', { mode: '0600' })
    }
    await on.files.write('/var/lib/kubelet/config.yaml', 'kind: KubeletConfiguration\n', { mode: '0600' })
    await runService(on, 'kubelet')
    for (const image of images) await on.run(sh`crictl pull ${image}`)
  })
  for (const machine of rehearsal.machines.values()) machine.setInternet(false)
}
