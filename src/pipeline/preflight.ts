import { preflightOnlyModule } from '../module/index.ts'
import { definePipeline } from './define.ts'

/** Looks at all hosts and changes nothing. */
export const preflight = definePipeline({
  name: 'preflight',
  plan: (module) => module(preflightOnlyModule, 'create'),
})
