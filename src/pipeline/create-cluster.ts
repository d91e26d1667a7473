import { nodeModule } from '../module/index.ts'
import { definePipeline } from './define.ts'

export const createCluster = definePipeline({
  name: 'create-cluster',
  plan: (module) => module(nodeModule, 'create'),
})
