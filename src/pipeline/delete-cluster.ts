import { nodeModule, ownershipModule } from '../module/index.ts'
import { seq } from '../plan/index.ts'
import { definePipeline } from './define.ts'

export const deleteCluster = definePipeline({
  name: 'delete-cluster',
  plan: (module) => seq(module(nodeModule, 'delete'), module(ownershipModule, 'create')),
})
