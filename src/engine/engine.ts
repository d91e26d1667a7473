import { exitCodes, fail, type KubexmError } from '../error/index.ts'
import type { Outcome, PathStep } from '../event/index.ts'
import { criticalPath, type ExecutionGraph, type Milestone, type Node, type StepNode } from '../plan/index.ts'
import { seconds } from '../util/time.ts'
import type { Where } from '../util/where.ts'
import { runNode } from './node-run.ts'
import { outlineOf } from './outline.ts'
import { rollBack, taskOf } from './rollback.ts'
import { RunState } from './run-state.ts'
import { TaskProgress } from './task-progress.ts'
import type { ExecuteOptions, HostFinding, Report, World } from './types.ts'
import { type Verdict, walk } from './walk.ts'

/** Runs a sealed graph on the world. Never throws for what goes wrong on a host: that is in the report. */
export async function execute(graph: ExecutionGraph, world: World, options: ExecuteOptions): Promise<Report> {
  const run = new RunState(graph, world, options)
  const { clock, journal } = options
  const started = clock.steady()
  await journal.begin({ run: options.run.id, pipeline: graph.pipeline, digest: graph.digest })
  run.emit(null, { type: 'pipeline.started', outline: outlineOf(graph) })
  for (const [host, error] of options.lost ?? []) run.tellLost(host, error)

  const failedTasks = await walkGraph(run)
  const cancelled = options.cancel.aborted && run.errors.length === 0
  if (failedTasks.size > 0 && options.rollbackOnFailure && !options.abandon.aborted) await rollBack(run, failedTasks)

  const outcomeNow = (): Outcome => (run.errors.length > 0 ? 'failed' : cancelled ? 'cancelled' : 'success')
  for (const node of graph.nodes) if (!run.states.has(node.id)) run.states.set(node.id, 'blocked')
  if (!options.abandon.aborted) await endJournal(run, outcomeNow())
  const outcome = outcomeNow()
  const ms = clock.steady() - started
  for (const result of options.results?.({ outcome, states: run.states, lost: run.lost }) ?? []) run.tellResult(null, result)
  run.emit(null, { type: 'pipeline.finished', outcome, ms, errors: run.errors, criticalPath: measuredPath(run) })
  return { outcome, states: run.states, errors: run.errors, findings: run.findings, ms }
}

/** The chain of steps that decided how long the run took. */
function measuredPath({ graph, times }: RunState): readonly PathStep[] {
  const { path } = criticalPath(graph, ({ id }) => times.get(id) ?? 0)
  const steps = new Map(graph.nodes.flatMap((node) => (node.kind === 'step' ? [[node.id, node] as const] : [])))
  return path.flatMap((id) => {
    const [step, ms] = [steps.get(id), times.get(id)]
    return step === undefined || ms === undefined ? [] : [{ title: step.title, host: step.host, ms }]
  })
}

/** How long waits go on when something else has failed. */
const graceOfWaits = seconds(5)

/** Walks the graph until its end or its first failure; gives the tasks in which something failed or was cut off. */
async function walkGraph(run: RunState): Promise<Set<string>> {
  const { options, graph } = run
  const progress = new TaskProgress(run)
  const failedTasks = new Set<string>()
  const past = options.resume ? options.journal.record : null
  // Running nodes are aborted by the user at once, by a failure elsewhere after a grace. Whoever only waits may wait in vain for what will
  // not come any more, and leaves nothing half done: just as long as the same may go wrong on several hosts at nearly the same time.
  const running = { changes: new AbortController(), waits: new AbortController() }
  const onCancel = (): void => {
    run.emit(null, { type: 'pipeline.cancelling', reason: 'interrupted' })
    for (const nodes of Object.values(running)) nodes.abort(new Error('cancelled'))
  }
  if (options.cancel.aborted) onCancel()
  else options.cancel.addEventListener('abort', onCancel, { once: true })
  let graces: readonly { cancel(): void }[] = []

  const failed = (node: Node, errors: readonly KubexmError[]): Verdict => {
    run.errors.push(...errors)
    failedTasks.add(taskOf(node))
    const end = (nodes: AbortController) => () => nodes.abort(new Error('another step failed'))
    if (graces.length === 0) {
      const { clock, grace } = options
      graces = [clock.after(grace, end(running.changes)), clock.after(Math.min(grace, graceOfWaits), end(running.waits))]
    }
    return 'stop'
  }

  /** After a failure on one host the others go on, where that is allowed. */
  const failedOnHost = (node: StepNode, error: KubexmError): Verdict => {
    // What else fails on a host that is given up already is no news.
    if (run.lost.has(node.host)) return 'cut'
    return isOfHost(error) && run.giveUp(new Map([[node.host, error]])) ? 'cut' : failed(node, [error])
  }

  const visitStep = async (node: StepNode): Promise<Verdict> => {
    if (options.cancel.aborted) return 'stop'
    if (run.lacksInput(node)) {
      leaveOut(node)
      return 'cut'
    }
    const begun = options.clock.steady()
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
    let { state, changes, error } = await runNode(node, run, (node.step.sort === 'wait' ? running.waits : running.changes).signal)
    if (error === null && state !== 'cancelled') error = await journaled(() => options.journal.done(node.id, state, node.inputHash))
    if (error !== null) state = 'failed'
    run.states.set(node.id, state)
    const ms = options.clock.steady() - begun
    run.times.set(node.id, ms)
    run.emit(node, {
      type: 'step.finished',
      node: node.id,
      title: node.title,
      outcome: state,
      ms,
      changes,
      ...(error === null ? {} : { error }),
    })
    progress.end(node)
    if (error !== null) return failedOnHost(node, error)
    if (state === 'cancelled') failedTasks.add(taskOf(node))
    return state === 'cancelled' ? 'stop' : 'go-on'
  }

  const visitMilestone = (node: Milestone): Verdict => {
    run.states.set(node.id, 'satisfied')
    const findings = node.ends ? errorFindings(run, node) : []
    if (findings.length === 0 || run.giveUp(preflightErrors(run, node, findings))) return 'go-on'
    return failed(node, [preflightError(run, node, findings)])
  }

  const leaveOut = (node: Node): void => {
    run.states.set(node.id, 'blocked')
    if (node.kind === 'step') progress.leaveOut(node)
  }

  const visitor = { step: visitStep, milestone: visitMilestone, isLost: (host: string) => run.lost.has(host), leftOut: leaveOut }
  try {
    await walk(graph.nodes, visitor, options.limits)
  } finally {
    options.cancel.removeEventListener('abort', onCancel)
    for (const grace of graces) grace.cancel()
  }
  progress.endAll()
  return failedTasks
}

/** At the end of a task the findings of its checks are judged, all at once; hosts that are given up do not count. */
const errorFindings = (run: RunState, end: Node): readonly HostFinding[] =>
  run.findings.filter(({ severity, host, ...place }) => severity === 'error' && taskOf(place) === taskOf(end) && !run.lost.has(host))

function preflightError(run: RunState, end: Node, findings: readonly HostFinding[], where: Partial<Where> = {}): KubexmError {
  const hosts = new Set(findings.map((finding) => finding.host)).size
  return fail('KX_PREFLIGHT', { count: findings.length, hosts }, { where: { ...run.whereOf(end), ...where } })
}

const preflightErrors = (run: RunState, end: Node, findings: readonly HostFinding[]): ReadonlyMap<string, KubexmError> =>
  new Map([...Map.groupBy(findings, ({ host }) => host)].map(([host, own]) => [host, preflightError(run, end, own, { host })]))

/** Whether an error says something about the host alone: not about kubexm, this machine or another run. */
const isOfHost = ({ code, exitCode }: KubexmError): boolean =>
  code !== 'KX_JOURNAL_WRITE' && [exitCodes.connection, exitCodes.preflight, exitCodes.step].some((kind) => kind === exitCode)

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
