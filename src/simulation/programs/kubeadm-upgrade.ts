import type { Output } from '../../runner/index.ts'
import { Content } from '../content.ts'
import { readText, writeFile } from '../files.ts'
import { complains, type ProgramContext, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess } from '../state.ts'

const minorOf = (version: string): number => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? 0)

/** Upgrades one minor version at a time, never past the tool's own. */
export function upgrade(ctx: ProgramContext, cluster: ClusterAccess, [verb = '', wanted]: readonly string[], own: string): Output {
  const now = cluster.state.version ?? ''
  if (verb === 'plan') return says(`[upgrade] Target version: ${own}\n`)
  if (verb === 'node') return says(rewritePods(ctx, now))
  if (verb !== 'apply') return complains(`the simulated kubeadm does not know: upgrade ${verb}`)
  const target = wanted ?? own
  if (minorOf(target) > minorOf(own))
    throw refuse(`[upgrade/version] FATAL: the version "${target}" is higher than the kubeadm version "${own}"`)
  if (minorOf(target) > minorOf(now) + 1)
    throw refuse(
      `[upgrade/version] FATAL: specified version to upgrade to "${target}" is too high; kubeadm can upgrade only 1 minor version at a time`,
    )
  if (minorOf(target) < minorOf(now))
    throw refuse(`[upgrade/version] FATAL: specified version to upgrade to "${target}" is lower than the current "${now}"`)
  cluster.state = { ...cluster.state, version: target }
  return says(rewritePods(ctx, target))
}

function rewritePods(ctx: ProgramContext, version: string): string {
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'etcd']) {
    const path = `/etc/kubernetes/manifests/${name}.yaml`
    const text = readText(ctx.state, path)
    if (text !== null) ctx.state = writeFile(ctx.state, path, new Content(text.replace(/# v\S*/, `# ${version}`)), { mode: '0600' })
  }
  return `[upgrade/successful] SUCCESS! Your cluster was upgraded to "${version}". Enjoy!\n`
}
