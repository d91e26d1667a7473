import type { NodeState, Outcome, Outline, PathStep, RunEvent } from '../../event/index.ts'
import type { Millis } from '../../util/time.ts'
import { harmless } from '../text.ts'

/** One host inside a running task: what it does now, or did last. */
export interface HostView {
  readonly host: string
  title: string
  state: NodeState
  since: Millis
  attempt: number
  progress: { readonly done: number; readonly total: number; readonly unit: 'bytes' | 'items' } | null
  line: string
}

export interface TaskView {
  readonly name: string
  readonly module: string
  title: string
  total: number
  readonly tally: Tally
  readonly running: Map<string, HostView>
  /** Every host that has begun something in this task, so that its row stays where it is. */
  readonly hosts: Map<string, HostView>
  readonly failedHosts: Set<string>
  startedAt: Millis | null
  endedAt: Millis | null
  outcome: NodeState
}

export interface ModuleView {
  readonly name: string
  readonly tasks: Map<string, TaskView>
}

/** How many steps came to which end. */
export type Tally = { [State in EndState]: number }
export type EndState = Exclude<NodeState, 'pending' | 'running'>

/** Everything a sink knows of a run; changed only by `observe`. */
export interface RunView {
  readonly pipeline: string
  readonly pipelineId: string
  readonly startedAt: Millis
  readonly hosts: readonly string[]
  readonly total: number
  readonly modules: Map<string, ModuleView>
  readonly tally: Tally
  readonly running: Map<string, Millis>
  readonly criticalPath: readonly string[]
  readonly criticalSet: ReadonlySet<string>
  /** How long the finished steps of the critical path took, by node. */
  readonly criticalTimes: Map<string, { readonly title: string; readonly host: string; readonly task: string; readonly ms: Millis }>
  /** What is known of each step's duration, by its name. */
  readonly stepTimes: Map<string, { count: number; ms: Millis }>
  /** Hosts the run goes on without. */
  readonly lost: Set<string>
  /** What people want to know when all is over: by label and text the hosts it is said of. */
  readonly results: Map<string, Map<string, string[]>>
  cancelling: boolean
  finished: { readonly outcome: Outcome; readonly ms: Millis; readonly criticalPath: readonly PathStep[] } | null
}

export const emptyTally = (): Tally => ({
  satisfied: 0,
  succeeded: 0,
  resumed: 0,
  failed: 0,
  blocked: 0,
  cancelled: 0,
  'rolled-back': 0,
  'rollback-failed': 0,
})

/** Steps that have come to an end of their own; a step undone afterwards is not counted again. */
export const finishedSteps = (tally: Tally): number => tally.satisfied + tally.succeeded + tally.resumed + tally.failed + tally.cancelled

/** The view of a run that has just begun. */
export function startView(event: RunEvent & { readonly outline: Outline }): RunView {
  const { outline } = event
  const modules = new Map<string, ModuleView>()
  for (const { name, tasks } of outline.modules) {
    modules.set(name, { name, tasks: new Map(tasks.map((task) => [task.name, startTask(name, task.name, task.steps)])) })
  }
  return {
    pipeline: event.pipeline,
    pipelineId: event.pipelineId,
    startedAt: event.at.getTime(),
    hosts: outline.hosts,
    total: outline.nodes,
    modules,
    tally: emptyTally(),
    running: new Map(),
    criticalPath: outline.criticalPath,
    criticalSet: new Set(outline.criticalPath),
    criticalTimes: new Map(),
    stepTimes: new Map(),
    lost: new Set(),
    results: new Map(),
    cancelling: false,
    finished: null,
  }
}

const startTask = (module: string, name: string, total: number): TaskView => ({
  name,
  module,
  title: '',
  total,
  tally: emptyTally(),
  running: new Map(),
  hosts: new Map(),
  failedHosts: new Set(),
  startedAt: null,
  endedAt: null,
  outcome: 'pending',
})

/** The task an event is about, made when the outline did not announce it; null for events of the run as a whole. */
export function taskOf(view: RunView, event: RunEvent): TaskView | null {
  if (event.task === undefined) return null
  const name = event.module ?? ''
  const module = view.modules.get(name) ?? { name, tasks: new Map<string, TaskView>() }
  view.modules.set(name, module)
  const task = module.tasks.get(event.task) ?? startTask(name, event.task, 0)
  module.tasks.set(event.task, task)
  return task
}

/** Takes one event into the view: a constant amount of work, whatever the size of the run. */
export function observe(view: RunView, event: RunEvent): void {
  if (event.type === 'pipeline.cancelling') view.cancelling = true
  if (event.type === 'host.lost' && event.host !== undefined) view.lost.add(event.host)
  if (event.type === 'result') keepResult(view, event)
  if (event.type === 'pipeline.finished') view.finished = { outcome: event.outcome, ms: event.ms, criticalPath: event.criticalPath ?? [] }
  const task = taskOf(view, event)
  if (task === null) return
  const at = event.at.getTime()
  switch (event.type) {
    case 'task.started':
      task.title = harmless(event.title)
      task.startedAt ??= at
      task.outcome = 'running'
      break
    case 'task.finished':
      task.endedAt = at
      task.outcome = event.outcome
      task.hosts.clear()
      break
    case 'step.started':
      startStep(view, task, event, at)
      break
    case 'step.finished':
      finishStep(view, task, event, at)
      break
    case 'step.retrying':
      updateHost(task, event, { attempt: event.attempt + 1, progress: null })
      break
    case 'step.progress':
      updateHost(task, event, { progress: { done: event.done, total: event.total, unit: event.unit } })
      break
    case 'step.line':
      updateHost(task, event, { line: harmless(event.line).trim() })
      break
    case 'pipeline.started':
    case 'pipeline.cancelling':
    case 'pipeline.finished':
    case 'host.lost':
    case 'finding':
    case 'note':
    case 'result':
      break
  }
}

function keepResult(view: RunView, { label, text, host }: Extract<RunEvent, { type: 'result' }>): void {
  const said = view.results.get(label) ?? new Map<string, string[]>()
  view.results.set(label, said)
  said.set(harmless(text), [...(said.get(harmless(text)) ?? []), ...(host === undefined ? [] : [host])])
}

type Started = Extract<RunEvent, { type: 'task.started' | 'step.started' }>
type Finished = Extract<RunEvent, { type: 'task.finished' | 'step.finished' }>

function startStep(view: RunView, task: TaskView, event: Started, at: Millis): void {
  const host: HostView = {
    host: event.host ?? 'local',
    title: harmless(event.title),
    state: 'running',
    since: at,
    attempt: 1,
    progress: null,
    line: '',
  }
  const node = nodeOf(event)
  if (task.outcome === 'pending') task.outcome = 'running'
  task.startedAt ??= at
  task.running.set(node, host)
  task.hosts.set(host.host, host)
  view.running.set(node, at)
}

function finishStep(view: RunView, task: TaskView, event: Finished, at: Millis): void {
  const node = nodeOf(event)
  const { outcome } = event
  if (outcome === 'pending' || outcome === 'running') return
  view.tally[outcome]++
  task.tally[outcome]++
  if (outcome === 'failed') task.failedHosts.add(event.host ?? 'local')
  task.startedAt ??= at - event.ms
  const host = task.running.get(node) ?? task.hosts.get(event.host ?? 'local')
  if (host !== undefined) Object.assign(host, { state: outcome, progress: null, line: '' })
  task.running.delete(node)
  view.running.delete(node)
  if (outcome === 'resumed' || outcome === 'blocked') return
  remember(view.stepTimes, event.step ?? node, event.ms)
  if (view.criticalSet.has(node) && outcome !== 'rolled-back' && outcome !== 'rollback-failed') {
    view.criticalTimes.set(node, { title: harmless(event.title), host: event.host ?? 'local', task: task.name, ms: event.ms })
  }
}

function updateHost(task: TaskView, event: RunEvent, change: Partial<HostView>): void {
  const host = task.hosts.get(event.host ?? 'local')
  if (host !== undefined) Object.assign(host, change)
}

function remember(times: RunView['stepTimes'], step: string, ms: Millis): void {
  const known = times.get(step)
  if (known === undefined) times.set(step, { count: 1, ms })
  else {
    known.count++
    known.ms += ms
  }
}

/** Events name their node; those that do not are told apart by task, step and host. */
export const nodeOf = (event: RunEvent & { readonly node?: string }): string =>
  event.node ?? `${event.task}/${event.step}@${event.host ?? 'local'}`
