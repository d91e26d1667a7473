import { builtInCatalogue } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { makeDirectory, uploadFile } from '../../../step/generic/file.ts'
import { installPackages, packageDirectory, packageNames } from '../../../step/generic/package.ts'
import { composeStep } from '../../../step/index.ts'
import { minutes } from '../../../util/time.ts'

export const bringPackageFiles = composeStep<{ files: readonly string[] }>({
  name: 'packages.bring',
  title: ({ files }) => `Bring ${files.length} package files`,
  timeout: minutes(15),
  ops: async (ctx, { files }) => {
    const own = await Promise.all(files.map((file) => ctx.artifacts.get(file)))
    return [
      makeDirectory({ path: packageDirectory, mode: '0700' }),
      ...own.map(({ path, sha256 }, i) => uploadFile({ path: `${packageDirectory}/${files[i]}`, from: path, sha256, mode: '0600' })),
    ]
  },
})

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
