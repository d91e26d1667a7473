import { par } from '../../../plan/index.ts'
import type { PlanContext } from '../../../runtime/index.ts'
import { defineTask, use } from '../../../task/index.ts'
import { bringPackageFiles, installNodePackages } from './steps.ts'

export const packages = defineTask({
  name: 'packages',
  description: 'Install the programs that Kubernetes calls on its nodes',
  plan: (t) => t.on(t.hosts(), installNodePackages),
})

/** What a bundle holds for the package manager of each host: whoever installs something afterwards takes it from there. */
export const packageFiles = defineTask({
  name: 'package-files',
  description: 'Bring the packages of the bundle to the hosts',
  isRequired: (ctx) => ctx.hosts().some((host) => filesOf(ctx, host.name).length > 0),
  plan: (t) =>
    par(
      ...t.hosts().flatMap((host) => {
        const files = filesOf(t, host.name)
        return files.length === 0 ? [] : [t.on([host], use(bringPackageFiles, { files }))]
      }),
    ),
})

const filesOf = ({ artifacts }: PlanContext, host: string): readonly string[] =>
  artifacts.flatMap((artifact) => (artifact.kind === 'package-file' && artifact.hosts.includes(host) ? [artifact.fileName] : []))
