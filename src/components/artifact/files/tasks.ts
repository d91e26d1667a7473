import { par } from '../../../plan/index.ts'
import { defineTask, use } from '../../../task/index.ts'
import { fetchArtifact } from './steps.ts'

/** The artifacts with these names for the hosts of the plan: one node each, side by side, on this machine. */
export const fetchArtifacts = defineTask<{ names: readonly string[] }>({
  name: 'fetch-artifacts',
  description: 'Get everything the hosts need to this machine, and prove it',
  isRequired: ({ artifacts }, { names }) => artifacts.some((artifact) => isNamed(artifact, names)),
  plan: (t, { names }) =>
    par(...t.artifacts.filter((artifact) => isNamed(artifact, names)).map(({ id }) => t.local(use(fetchArtifact, { id }, id)))),
})

const isNamed = (artifact: { readonly kind: string; readonly file?: { readonly name: string } }, names: readonly string[]): boolean =>
  (artifact.kind === 'binary' || artifact.kind === 'archive') && names.includes(artifact.file?.name ?? '')
