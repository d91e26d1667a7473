import type { Intent, Module } from '../module/index.ts'
import { type ExecutionFragment, type ExecutionGraph, type StepNode, seal } from '../plan/index.ts'
import type { PlanContext } from '../runtime/index.ts'

/** A whole operation on a cluster, such as creating it. */
export interface Pipeline {
  /** `create-cluster`: stable, since journal, metrics and job store use it. */
  readonly name: string
  plan(ctx: PlanContext): ExecutionGraph
}

/** Puts a module into the pipeline's graph, for all hosts or for some of them. */
export type PlanModule = (module: Module, intent: Intent, ctx?: PlanContext) => ExecutionFragment

/** Declares a pipeline; the plan comes out sealed. */
export function definePipeline(spec: {
  readonly name: string
  readonly plan: (module: PlanModule, ctx: PlanContext) => ExecutionFragment
}): Pipeline {
  return {
    name: spec.name,
    plan: (ctx) => {
      const compensations = new Map<string, readonly StepNode[]>()
      const planModule: PlanModule = (module, intent, forContext = ctx) => {
        const planned = module.plan(intent, forContext)
        for (const [task, nodes] of planned.compensations) compensations.set(task, nodes)
        return planned.fragment
      }
      return seal(spec.name, spec.plan(planModule, ctx), compensations)
    },
  }
}
