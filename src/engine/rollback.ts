import { asKubexmError, fail } from '../error/index.ts'
import { recordUndone } from '../ledger/index.ts'
import type { StepNode } from '../plan/index.ts'
import { startDeadline } from './deadline.ts'
import { changeKey, contextOf, runNode } from './node-run.ts'
import type { RunState } from './run-state.ts'

/**
 * Undoes the failed tasks: their nodes one at a time, last started first, the failed ones included; or what the task says is to be
 * done instead. A rollback that fails is reported beside the cause, and the next one still runs.
 */
export async function rollBack(run: RunState, tasks: ReadonlySet<string>): Promise<void> {
  const { abandon } = run.options
  for (const task of tasks) {
    const instead = run.graph.compensations.get(task)
    if (instead === undefined) continue
    for (const node of instead) {
      if (abandon.aborted) return
      const { error } = await runNode(node, run, abandon)
      if (error !== null) run.errors.push(rollbackFailed(node, error))
    }
  }
  const nodes = new Map(run.graph.nodes.map((node) => [node.id, node]))
  const lastStartedFirst = [...run.receipts].sort(([, a], [, b]) => b.order - a.order)
  for (const [id] of lastStartedFirst) {
    const node = nodes.get(id)
    if (node?.kind !== 'step' || node.mode !== 'apply') continue
    const task = taskOf(node)
    if (!tasks.has(task) || run.graph.compensations.has(task)) continue
    if (abandon.aborted) return
    await undoNode(node, run)
  }
}

/** The name under which a task's failure and compensation are known. */
export const taskOf = (node: { readonly module: string; readonly task: string }): string => `${node.module}/${node.task}`

async function undoNode(node: StepNode, run: RunState): Promise<void> {
  const { step } = node
  const receipts = run.receipts.get(node.id)?.receipts ?? []
  const started = run.options.clock.steady()
  if (typeof step.rollback !== 'function') {
    run.emit(node, { type: 'note', level: 'warn', message: `"${node.title}" stays: ${step.rollback.irreversible}` })
    return
  }
  // Its own deadline: the signal that ended the step must not end its undoing.
  using deadline = startDeadline(node.timeout, run.options.abandon, run.options.clock)
  const ctx = contextOf(node, run, deadline, [])
  try {
    await step.rollback({ ...ctx, on: ctx.fenced }, node.input as never, receipts)
    await recordUndone(
      ctx.fenced,
      run.options.run.id,
      receipts.filter((receipt) => receipt.owned).map((receipt) => changeKey(run.options.run.id, node, receipt)),
    )
    await run.options.journal.undone(node.id)
    run.states.set(node.id, 'rolled-back')
    run.receipts.delete(node.id)
    finished(node, run, 'rolled-back', started)
  } catch (thrown) {
    const error = rollbackFailed(node, asKubexmError(thrown).at(run.whereOf(node)))
    run.states.set(node.id, 'rollback-failed')
    run.errors.push(error)
    finished(node, run, 'rollback-failed', started, error)
  }
}

const rollbackFailed = (node: StepNode, error: ReturnType<typeof asKubexmError>): ReturnType<typeof asKubexmError> =>
  error.code === 'KX_ROLLBACK_FAILED'
    ? error
    : fail(
        'KX_ROLLBACK_FAILED',
        { title: node.title, why: error.message },
        { where: error.where, cause: error, ...(error.seen === null ? {} : { seen: error.seen }) },
      )

function finished(
  node: StepNode,
  run: RunState,
  outcome: 'rolled-back' | 'rollback-failed',
  started: number,
  error?: ReturnType<typeof asKubexmError>,
): void {
  const ms = run.options.clock.steady() - started
  run.emit(node, { type: 'step.finished', node: node.id, title: node.title, outcome, ms, ...(error === undefined ? {} : { error }) })
}
