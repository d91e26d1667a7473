import { type ExecutionFragment, empty, mirror, type StepNode } from '../plan/index.ts'
import type { PlanContext } from '../runtime/index.ts'
import type { Task } from '../task/index.ts'

/** What a pipeline wants of a module. */
export type Intent = 'create' | 'delete' | 'upgrade' | 'restart' | 'renew'

/** What a module plans: the graph, and what undoes a task in place of its steps' own rollback. */
export interface ModulePlan {
  readonly fragment: ExecutionFragment
  readonly compensations: ReadonlyMap<string, readonly StepNode[]>
}

/** A domain of the cluster, such as the container runtime: tasks linked for each intent. */
export interface Module {
  readonly name: string
  plan(intent: Intent, ctx: PlanContext): ModulePlan
}

/** Puts a task into the module's graph; a task that is not required gives nothing. */
export type PlanTask = {
  (task: Task): ExecutionFragment
  <P>(task: Task<P>, params: P): ExecutionFragment
}

type Link = (task: PlanTask, ctx: PlanContext) => ExecutionFragment

/** `create` is always there; `delete` is its mirror unless the module knows better; the others are empty by default. */
type ModuleSpec = { readonly name: string; readonly create: Link } & { readonly [I in Exclude<Intent, 'create'>]?: Link }

/** Declares a module. */
export function defineModule(spec: ModuleSpec): Module {
  return {
    name: spec.name,
    plan: (intent, ctx) => {
      const compensations = new Map<string, readonly StepNode[]>()
      const planTask = <P>(task: Task<P>, params?: P): ExecutionFragment => {
        const instead = task.compensation(ctx, spec.name, params as P)
        if (instead !== null) compensations.set(`${spec.name}/${task.name}`, instead)
        return task.plan(ctx, spec.name, params as P)
      }
      const link = spec[intent]
      if (link !== undefined) return { fragment: link(planTask, ctx), compensations }
      if (intent === 'delete') return { fragment: mirror(spec.create(planTask, ctx)), compensations: new Map() }
      return { fragment: empty, compensations }
    },
  }
}
