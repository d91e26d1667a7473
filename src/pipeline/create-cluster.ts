import { artifactsModule, finishModule, nodeModule, preflightModule, runtimeModule } from '../module/index.ts'
import { par, seq } from '../plan/index.ts'
import { definePipeline } from './define.ts'

export const createCluster = definePipeline({
  name: 'create-cluster',
  plan: (module) =>
    seq(
      module(preflightModule, 'create'),
      // Getting artifacts fills the line of this machine, preparing hosts fills theirs.
      par(module(nodeModule, 'create'), module(artifactsModule, 'create')),
      module(runtimeModule, 'create'),
      module(finishModule, 'create'),
    ),
})
