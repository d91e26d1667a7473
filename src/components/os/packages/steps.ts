import { builtInCatalogue } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { installPackages, packageNames } from '../../../step/generic/package.ts'
import { composeStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'

export const installNodePackages = composeStep({
  name: 'packages.install',
  title: 'Install the packages a node needs',
  timeout: minutes(15),
  ops: (ctx) => [installPackages(packagesFor(ctx))],
})

/** What the kubelet, kube-proxy and the network call on a node, and what the config asks for on every host. */
function packagesFor({ cluster: { spec }, host }: StepContext): readonly string[] {
  const isNode = host.roles.some((role) => role === 'master' || role === 'worker')
  const base = isNode ? packageNames(host, builtInCatalogue.packages.node) : []
  return [...new Set([...base, ...packageNames(host, { deb: spec.system.debs, rpm: spec.system.rpms })])]
}
