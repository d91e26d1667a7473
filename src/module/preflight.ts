import { preflight } from '../components/os/preflight/index.ts'
import { empty } from '../plan/index.ts'
import { defineModule } from './define.ts'

/** Looks before anything is changed, unless the config says to leave that out. */
export const preflightModule = defineModule({
  name: 'preflight',
  create: (task, ctx) => (ctx.cluster.spec.global.skipPreflight ? empty : task(preflight)),
  delete: () => empty,
})

/** The same for someone who asks for nothing else: then it is not left out. */
export const preflightOnlyModule = defineModule({ name: 'preflight', create: (task) => task(preflight), delete: () => empty })
