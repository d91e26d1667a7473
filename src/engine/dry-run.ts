import { asKubexmError, type KubexmError } from '../error/index.ts'
import type { Change } from '../event/index.ts'
import type { ExecutionGraph, StepNode } from '../plan/index.ts'
import { startDeadline } from './deadline.ts'
import { contextOf } from './node-run.ts'
import { RunState } from './run-state.ts'
import type { ExecuteOptions, HostFinding, World } from './types.ts'
import { walk } from './walk.ts'

/** What a run would do to one host in one step. */
export interface PlannedChange {
  readonly node: StepNode
  readonly changes: readonly Change[]
  /** Why it could not be told: usually because it builds on something that is not there yet. */
  readonly unknown: KubexmError | null
}

export interface DryRun {
  readonly planned: readonly PlannedChange[]
  readonly findings: readonly HostFinding[]
  readonly satisfied: number
}

/** Looks at every step on every host and changes nothing. */
export async function dryRun(graph: ExecutionGraph, world: World, options: ExecuteOptions): Promise<DryRun> {
  const run = new RunState(graph, world, options)
  const planned: PlannedChange[] = []
  let satisfied = 0
  const look = async (node: StepNode): Promise<void> => {
    using deadline = startDeadline(node.timeout, options.cancel, options.clock)
    const ctx = contextOf(node, run, deadline, [])
    const { step } = node
    const input = node.input as never
    try {
      if (step.sort === 'wait') return
      if (step.sort === 'check') return await step.run(ctx, input)
      const precheck = node.mode === 'remove' ? await step.remove?.precheck(ctx, input) : await step.precheck(ctx, input)
      if (precheck?.is === 'needed') planned.push({ node, changes: precheck.changes, unknown: null })
      else satisfied++
    } catch (thrown) {
      // On a fresh host a step may build on what an earlier one has yet to make: that is a change, not a failure.
      planned.push({ node, changes: [{ does: node.title }], unknown: asKubexmError(thrown) })
    }
  }
  await walk(
    graph.nodes,
    {
      step: async (node) => {
        if (!options.cancel.aborted && !run.lost.has(node.host)) await look(node)
        return 'go-on'
      },
      milestone: () => 'go-on',
    },
    options.limits,
  )
  return { planned, findings: run.findings, satisfied }
}
