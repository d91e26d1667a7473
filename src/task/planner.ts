import { add, type ExecutionFragment, empty, type Node, type NodeId, type StepNode, seq } from '../plan/index.ts'
import type { Host, PlanContext } from '../runtime/index.ts'
import type { AnyStep, Step } from '../step/index.ts'
import { hashOf } from '../util/hash.ts'
import type { Json } from '../util/json.ts'

/** A step with its input; `as` tells apart two uses of one step in a task. */
export interface Bound {
  readonly step: AnyStep
  readonly input: Json
  readonly as: string | null
}

export type Use = Step<null> | Bound

/** Uses a step with an input. The input is part of the plan: no secrets in it. */
export const use = <I extends Json>(step: Step<I>, input: I, as?: string): Bound => ({ step, input, as: as ?? null })

/** What a task plans with: everything about the cluster, and ways to put steps on hosts. No way to touch a host. */
export interface Planner extends PlanContext {
  /** A chain of steps per host, the hosts side by side. */
  on(hosts: readonly Host[], ...steps: readonly Use[]): ExecutionFragment
  /** One host after another. */
  rolling(hosts: readonly Host[], ...steps: readonly Use[]): ExecutionFragment
  /** A few hosts at a time. */
  batches(hosts: readonly Host[], size: number, ...steps: readonly Use[]): ExecutionFragment
  /** Only on the first of these hosts. */
  first(hosts: readonly Host[], ...steps: readonly Use[]): ExecutionFragment
  /** On the machine kubexm runs on. */
  local(...steps: readonly Use[]): ExecutionFragment
}

/** The planner of one task. */
export function planner(ctx: PlanContext, module: string, task: string): Planner {
  const chains = (hosts: readonly string[], steps: readonly Use[]): ExecutionFragment => {
    // Title, hash and prefix are the same on every host: made once per step, not once per node.
    const templates = steps.map((use) => template(use, module, task))
    if (templates.length === 0 || hosts.length === 0) return empty
    const nodes = new Map<NodeId, Node>()
    const entry: NodeId[] = []
    const exit: NodeId[] = []
    for (const host of hosts) {
      let before: readonly NodeId[] = []
      for (const { prefix, node } of templates) {
        const id = `${prefix}@${host}`
        add(nodes, { ...node, id, needs: before, host })
        if (before.length === 0) entry.push(id)
        before = [id]
      }
      exit.push(...before)
    }
    return { nodes, entry, exit }
  }
  const on: Planner['on'] = (hosts, ...steps) => chains(names(hosts), steps)
  return {
    cluster: ctx.cluster,
    paths: ctx.paths,
    artifacts: ctx.artifacts,
    hosts: ctx.hosts,
    narrow: ctx.narrow,
    on,
    rolling: (hosts, ...steps) => seq(...hosts.map((host) => on([host], ...steps))),
    batches: (hosts, size, ...steps) => seq(...chunks(hosts, size).map((some) => on(some, ...steps))),
    first: (hosts, ...steps) => on(hosts.slice(0, 1), ...steps),
    local: (...steps) => chains(['local'], steps),
  }
}

type Template = { readonly prefix: string; readonly node: Omit<StepNode, 'id' | 'needs' | 'host'> }

function template(used: Use, module: string, task: string): Template {
  const { step, input, as } = 'step' in used ? used : { step: used as AnyStep, input: null, as: null }
  return {
    prefix: `${task}/${step.name}${as === null ? '' : `:${as}`}`,
    node: {
      kind: 'step',
      mode: 'apply',
      step,
      title: step.title(input as never),
      input,
      inputHash: hashOf(input),
      timeout: step.timeout,
      module,
      task,
    },
  }
}

const names = (hosts: readonly Host[]): readonly string[] => hosts.map((host) => host.name)

function chunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const parts: T[][] = []
  for (let i = 0; i < items.length; i += size) parts.push(items.slice(i, i + size))
  return parts
}
