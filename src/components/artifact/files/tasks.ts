import type { Cluster } from '../../../config/index.ts'
import { par } from '../../../plan/index.ts'
import { type Artifact, privateRegistryOf } from '../../../resource/index.ts'
import type { PlanContext } from '../../../runtime/index.ts'
import { defineTask, use } from '../../../task/index.ts'
import { fetchArtifact } from './steps.ts'

/** What a plan needs on this machine: everything, or the files with these names. */
type Wanted = { readonly names?: readonly string[] }

/** The artifacts for the hosts of the plan: one node each, side by side, on this machine. */
export const fetchArtifacts = defineTask<Wanted>({
  name: 'fetch-artifacts',
  description: 'Get everything the hosts need to this machine, and prove it',
  isRequired: (ctx, wanted) => fetched(ctx, wanted).length > 0,
  plan: (t, wanted) => par(...fetched(t, wanted).map(({ id }) => t.local(use(fetchArtifact, { id }, id)))),
})

const fetched = ({ cluster, artifacts }: PlanContext, { names }: Wanted): readonly Artifact[] =>
  artifacts.filter((artifact) =>
    names === undefined ? passesHere(artifact, cluster) : 'file' in artifact && names.includes(artifact.file.name),
  )

/** Packages come from the hosts' own sources, and images from the user's own registry if there is one. */
const passesHere = ({ kind }: Artifact, cluster: Cluster): boolean =>
  kind === 'image'
    ? privateRegistryOf(cluster) === null || cluster.spec.registry.type !== 'external'
    : kind !== 'package' && kind !== 'package-file'
