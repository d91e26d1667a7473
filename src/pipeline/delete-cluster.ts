import { finishModule, nodeModule, ownershipModule, runtimeModule } from '../module/index.ts'
import { seq } from '../plan/index.ts'
import { definePipeline } from './define.ts'

export const deleteCluster = definePipeline({
  name: 'delete-cluster',
  plan: (module) =>
    seq(module(finishModule, 'delete'), module(runtimeModule, 'delete'), module(nodeModule, 'delete'), module(ownershipModule, 'create')),
})
