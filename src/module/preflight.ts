import { externalEtcd } from '../components/etcd/external/index.ts'
import { keptProperties, preflight } from '../components/os/preflight/index.ts'
import { empty, par } from '../plan/index.ts'
import { defineModule, type PlanTask } from './define.ts'

const everything = (task: PlanTask) => par(task(preflight), task(externalEtcd))

/** Looks before anything is changed. The config may say to leave that out, but not to turn a cluster into another one. */
export const preflightModule = defineModule({
  name: 'preflight',
  create: (task, ctx) => (ctx.cluster.spec.global.skipPreflight ? task(keptProperties) : everything(task)),
  delete: () => empty,
})

/** The same for someone who asks for nothing else: then it is not left out. */
export const preflightOnlyModule = defineModule({ name: 'preflight', create: everything, delete: () => empty })
