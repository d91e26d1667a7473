import { fail, type KubexmError } from '../error/index.ts'
import type { Outcome } from '../event/index.ts'
import type { ExecutionGraph, Milestone, Node, StepNode } from '../plan/index.ts'
import { runNode } from './node-run.ts'
import { outlineOf } from './outline.ts'
import { rollBack, taskOf } from './rollback.ts'
import { RunState } from './run-state.ts'
import { TaskProgress } from './task-progress.ts'
import type { ExecuteOptions, Report, World } from './types.ts'
import { type Verdict, walk } from './walk.ts'

/** Runs a sealed graph on the world. Never throws for what goes wrong on a host: that is in the report. */
export async function execute(graph: ExecutionGraph, world: World, options: ExecuteOptions): Promise<Report> {
  const run = new RunState(graph, world, options)
  const { clock, journal } = options
  const started = clock.now()
  await journal.begin({ run: options.run.id, pipeline: graph.pipeline, digest: graph.digest })
  run.emit(null, { type: 'pipeline.started', outline: outlineOf(graph) })

  const failedTasks = await walkGraph(run)
  const cancelled = options.cancel.aborted && run.errors.length === 0
  if (failedTasks.size > 0 && options.rollbackOnFailure && !options.abandon.aborted) await rollBack(run, failedTasks)

  const outcomeNow = (): Outcome => (run.errors.length > 0 ? 'failed' : cancelled ? 'cancelled' : 'success')
  for (const node of graph.nodes) if (!run.states.has(node.id)) run.states.set(node.id, 'blocked')
  if (!options.abandon.aborted) await endJournal(run, outcomeNow())
  const outcome = outcomeNow()
  const ms = clock.now() - started
  run.emit(null, { type: 'pipeline.finished', outcome, ms, errors: run.errors })
  return { outcome, states: run.states, errors: run.errors, findings: run.findings, ms }
}

/** Walks the graph until its end or its first failure; gives the tasks in which something failed or was cut off. */
async function walkGraph(run: RunState): Promise<Set<string>> {
  const { options, graph } = run
  const progress = new TaskProgress(run)
  const failedTasks = new Set<string>()
  const past = options.resume ? options.journal.record : null
  // One controller for all running nodes: aborted by the user at once, by a failure elsewhere after the grace.
  const running = new AbortController()
  const onCancel = (): void => {
    run.emit(null, { type: 'pipeline.cancelling', reason: 'interrupted' })
    running.abort(new Error('cancelled'))
  }
  if (options.cancel.aborted) onCancel()
  else options.cancel.addEventListener('abort', onCancel, { once: true })
  let grace: { cancel(): void } | null = null

  const failed = (node: Node, errors: readonly KubexmError[]): Verdict => {
    run.errors.push(...errors)
    failedTasks.add(taskOf(node))
    grace ??= options.clock.after(options.grace, () => running.abort(new Error('another step failed')))
    return 'stop'
  }

  const visitStep = async (node: StepNode): Promise<Verdict> => {
    if (options.cancel.aborted) return 'stop'
    const begun = options.clock.now()
    progress.begin(node)
    // What a step found or waited for may have changed since: only changes are taken as done.
    if (node.step.sort === 'change' && past?.done.get(node.id) === node.inputHash) {
      run.states.set(node.id, 'resumed')
      run.emit(node, { type: 'step.finished', node: node.id, title: node.title, outcome: 'resumed', ms: 0 })
      progress.end(node)
      return 'go-on'
    }
    run.states.set(node.id, 'running')
    run.emit(node, { type: 'step.started', node: node.id, title: node.title })
    let { state, changes, error } = await runNode(node, run, running.signal)
    if (error === null && state !== 'cancelled') error = await journaled(() => options.journal.done(node.id, state, node.inputHash))
    if (error !== null) state = 'failed'
    run.states.set(node.id, state)
    run.emit(node, {
      type: 'step.finished',
      node: node.id,
      title: node.title,
      outcome: state,
      ms: options.clock.now() - begun,
      changes,
      ...(error === null ? {} : { error }),
    })
    progress.end(node)
    if (error !== null) return failed(node, [error])
    if (state === 'cancelled') failedTasks.add(taskOf(node))
    return state === 'cancelled' ? 'stop' : 'go-on'
  }

  const visitMilestone = (node: Milestone): Verdict => {
    run.states.set(node.id, 'satisfied')
    const errors = node.ends ? preflightErrors(run, node) : []
    return errors.length > 0 ? failed(node, errors) : 'go-on'
  }

  try {
    await walk(graph.nodes, { step: visitStep, milestone: visitMilestone }, options.limits)
  } finally {
    options.cancel.removeEventListener('abort', onCancel)
    ;(grace as { cancel(): void } | null)?.cancel()
  }
  progress.endAll()
  return failedTasks
}

/** At the end of a task the findings of its checks are judged, all at once. */
function preflightErrors(run: RunState, end: Node): readonly KubexmError[] {
  const errors = run.findings.filter((finding) => finding.severity === 'error' && taskOf(finding) === taskOf(end))
  if (errors.length === 0) return []
  const hosts = new Set(errors.map((finding) => finding.host)).size
  return [fail('KX_PREFLIGHT', { count: errors.length, hosts }, { where: run.whereOf(end) })]
}

/** An error of the journal as a value: the node it belongs to failed. */
async function journaled(write: () => Promise<void>): Promise<KubexmError | null> {
  try {
    await write()
    return null
  } catch (error) {
    return error as KubexmError
  }
}

async function endJournal(run: RunState, outcome: Outcome): Promise<void> {
  const error = await journaled(() => run.options.journal.end(outcome))
  // When the journal broke earlier its error is among the causes already.
  if (error !== null && !run.errors.some((known) => known.code === error.code)) run.errors.push(error)
}
