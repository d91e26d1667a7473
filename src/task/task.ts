import { after, type ExecutionFragment, empty, type Node, type NodeId, type StepNode } from '../plan/index.ts'
import type { PlanContext } from '../runtime/index.ts'
import { type Planner, planner } from './planner.ts'

/** A piece of business, such as installing etcd: which steps, on which hosts, in what order. */
export interface Task<P = void> {
  readonly name: string
  readonly description: string
  /** The task's nodes between two milestones, or nothing where the task is not required. */
  plan(ctx: PlanContext, module: string, params: P): ExecutionFragment
  /** In place of the step-by-step rollback, where the task knows better. */
  compensation(ctx: PlanContext, module: string, params: P): readonly StepNode[] | null
}

interface TaskSpec<P> {
  readonly name: string
  readonly description: string
  readonly isRequired?: (ctx: PlanContext, params: P) => boolean
  readonly plan: (t: Planner, params: P) => ExecutionFragment
  readonly compensate?: (t: Planner, params: P) => ExecutionFragment
}

/** Declares a task. */
export function defineTask<P = void>(spec: TaskSpec<P>): Task<P> {
  const isRequired = (ctx: PlanContext, params: P): boolean => spec.isRequired?.(ctx, params) ?? true
  return {
    name: spec.name,
    description: spec.description,
    plan: (ctx, module, params) =>
      isRequired(ctx, params) ? framed(spec.plan(planner(ctx, module, spec.name), params), module, spec.name) : empty,
    compensation: (ctx, module, params) => {
      if (spec.compensate === undefined || !isRequired(ctx, params)) return null
      const part = spec.compensate(planner(ctx, module, `${spec.name}.compensate`), params)
      return [...part.nodes.values()].filter((node): node is StepNode => node.kind === 'step')
    },
  }
}

/** Two milestones around a task: one joint before it, one after it, however many hosts it has. */
function framed(part: ExecutionFragment, module: string, task: string): ExecutionFragment {
  if (part.nodes.size === 0) return empty
  const begin = { kind: 'milestone', id: `${task}:begin`, needs: [], module, task, ends: false } as const
  const end = { kind: 'milestone', id: `${task}:end`, needs: part.exit, module, task, ends: true } as const
  const nodes = new Map<NodeId, Node>([[begin.id, begin]])
  after(part, [begin.id], nodes)
  nodes.set(end.id, end)
  return { nodes, entry: [begin.id], exit: [end.id] }
}
