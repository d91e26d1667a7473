import type { NodeState } from '../../event/event.ts'
import type { ErrorJson, EventJson, FindingJson, Graph, ShortError } from '../api/types.ts'
import { type GraphModel, graphModel } from '../graph/model.ts'
import { emptyTally, type Tally } from './states.ts'

/** Something that went wrong, or that a check found. */
export interface Problem {
  readonly kind: 'error' | 'finding' | 'retry'
  readonly severity: 'error' | 'warning'
  readonly at: number
  readonly error: ErrorJson | FindingJson
  readonly seen: string | null
  readonly module: string | null
  readonly task: string | null
  readonly step: string | null
  readonly title: string | null
  /** Hosts that have the same problem, first seen first. */
  readonly hosts: string[]
  readonly node: string | null
}

/** A line of the log: an event that is worth reading, with its number. */
export interface LogEntry {
  readonly seq: number
  readonly event: EventJson
}

/** More would make the page slow; the whole log can be had as a file. */
export const logLimit = 40_000

const silent = new Set(['step.progress', 'task.started'])

/**
 * All that is known of a run: the plan, the state of its nodes and what was told, kept up to date by its events.
 * It changes in place, as thousands of events may come in a second; `version` rises with every change.
 */
export class Run {
  version = 0
  model: GraphModel = graphModel({ nodes: [], critical_path: [] })
  /** Events up to this one are already in the states the graph came with. */
  #stateSeq = 0
  lastSeq = 0
  states: NodeState[] = []
  startedAt: (number | null)[] = []
  took: (number | null)[] = []
  changes = new Map<number, readonly string[]>()
  attempts = new Map<number, number>()
  errors = new Map<number, ShortError>()
  progress = new Map<number, { readonly done: number; readonly total: number; readonly unit: 'bytes' | 'items' }>()
  tallies: Record<NodeState, number>[] = []
  total: Record<NodeState, number> = emptyTally()
  readonly log: LogEntry[] = []
  /** How many of the oldest lines were let go. */
  dropped = 0
  readonly problems: Problem[] = []
  /** What people want to know when all is over: by label and text the hosts it is said of. */
  readonly results = new Map<string, Map<string, string[]>>()
  /** Set when the plan must be asked for: a run began that we have no plan of. */
  needsGraph = false
  cancelling: string | null = null

  /** Takes over a plan with the states it came with. */
  load(graph: Graph): void {
    this.model = graphModel(graph)
    this.#stateSeq = graph.seq
    this.states = graph.nodes.map((node) => node.state)
    this.startedAt = graph.nodes.map((node) => (node.started_at === null ? null : Date.parse(node.started_at)))
    this.took = graph.nodes.map((node) => node.ms)
    this.errors = new Map(graph.nodes.flatMap((node, index) => (node.error === null ? [] : [[index, node.error]])))
    this.total = emptyTally()
    this.tallies = this.model.tasks.map(emptyTally)
    for (const node of this.model.nodes) if (!node.milestone) this.#count(node.index, 1)
    this.needsGraph = false
    // What was told while the plan was on its way is newer than the plan.
    const newer = this.log.findLastIndex(({ seq }) => seq <= graph.seq) + 1
    for (const { event } of this.log.slice(newer)) this.#advance(event)
    this.version++
  }

  /** Takes events in; those that are known already change nothing. */
  apply(batch: readonly LogEntry[]): void {
    for (const entry of batch) {
      if (entry.seq <= this.lastSeq) continue
      this.lastSeq = entry.seq
      this.#remember(entry)
      this.#note(entry.event)
      if (entry.seq > this.#stateSeq) this.#advance(entry.event)
      else this.#enrich(entry.event)
    }
    this.version++
  }

  tallyOf(task: number): Tally {
    return this.tallies[task] ?? emptyTally()
  }

  #remember(entry: LogEntry): void {
    if (silent.has(entry.event.type)) return
    this.log.push(entry)
    if (this.log.length > logLimit * 1.1) {
      this.dropped += this.log.length - logLimit
      this.log.splice(0, this.log.length - logLimit)
    }
  }

  /** What the graph does not say, of events older than it. */
  #enrich(event: EventJson): void {
    const index = this.#indexOf(event)
    if (index === undefined) return
    if (event.changes !== undefined && event.changes.length > 0)
      this.changes.set(
        index,
        event.changes.map(({ does }) => does),
      )
    if (event.type === 'step.retrying') this.attempts.set(index, event.attempt ?? 1)
    if (event.type === 'step.started') this.attempts.delete(index)
    // An earlier attempt's error is history when the node did well since.
    if (event.error !== undefined && event.type === 'step.finished' && this.states[index] === event.outcome)
      this.errors.set(index, event.error)
  }

  #advance(event: EventJson): void {
    const index = this.#indexOf(event)
    if (event.type === 'pipeline.started') this.needsGraph = true
    // What was not begun when the run ended will not be.
    if (event.type === 'pipeline.finished')
      for (const node of this.model.nodes) if (this.states[node.index] === 'pending') this.#enter(node.index, 'blocked')
    if (index === undefined) return
    if (event.type === 'step.started') {
      this.startedAt[index] = Date.parse(event.at)
      this.took[index] = null
      this.errors.delete(index)
      this.#enter(index, 'running')
    } else if (event.type === 'step.finished') {
      this.took[index] = event.ms ?? null
      if (this.startedAt[index] === null && event.ms !== undefined) this.startedAt[index] = Date.parse(event.at) - event.ms
      this.progress.delete(index)
      this.#enter(index, (event.outcome ?? 'succeeded') as NodeState)
    } else if (event.type === 'step.progress' && event.done !== undefined && event.total !== undefined) {
      this.progress.set(index, { done: event.done, total: event.total, unit: event.unit ?? 'items' })
    }
    this.#enrich(event)
  }

  #indexOf(event: EventJson): number | undefined {
    if (event.node !== undefined) return this.model.indexOf.get(event.node)
    // Progress does not name its node.
    if (event.type !== 'step.progress' || event.task === undefined) return undefined
    return this.model.indexOf.get(`${event.task}/${event.step}@${event.host}`)
  }

  #enter(index: number, state: NodeState): void {
    this.#count(index, -1)
    this.states[index] = state
    this.#count(index, 1)
  }

  #count(index: number, by: number): void {
    const node = this.model.nodes[index]
    const state = this.states[index]
    if (node === undefined || node.milestone || state === undefined) return
    const tally = this.tallies[node.task]
    if (tally !== undefined) tally[state] += by
    this.total[state] += by
  }

  #note(event: EventJson): void {
    if (event.type === 'pipeline.started') {
      // A resumed run starts over with its troubles; what an earlier attempt suffered stays in the log.
      this.problems.length = 0
      this.results.clear()
      this.cancelling = null
    } else if (event.type === 'result') this.#result(event)
    else if (event.type === 'pipeline.cancelling') this.cancelling = event.reason ?? ''
    else if (event.type === 'finding' && event.finding !== undefined) this.#problem(event, 'finding', event.finding.severity, event.finding)
    else if (event.type === 'step.finished' && event.error !== undefined) this.#problem(event, 'error', 'error', event.error)
    else if (event.type === 'host.lost' && event.error !== undefined) this.#problem(event, 'error', 'error', event.error)
    else if (event.type === 'step.retrying' && event.error !== undefined) this.#problem(event, 'retry', 'warning', event.error)
    else if (event.type === 'pipeline.finished')
      for (const error of event.errors ?? []) this.#problem({ ...event, ...error.where }, 'error', 'error', error)
  }

  #result({ label = '', text = '', host }: EventJson): void {
    const said = this.results.get(label) ?? new Map<string, string[]>()
    this.results.set(label, said)
    said.set(text, [...(said.get(text) ?? []), ...(host === undefined ? [] : [host])])
  }

  /** The same trouble on many hosts is one problem with many hosts. */
  #problem(event: EventJson, kind: Problem['kind'], severity: Problem['severity'], error: ErrorJson | FindingJson): void {
    const host = event.host ?? ('where' in error ? error.where?.host : undefined)
    const same = this.problems.find(
      (known) =>
        known.error.code === error.code &&
        known.kind === kind &&
        known.step === (event.step ?? null) &&
        known.error.fix === error.fix &&
        sameWords(known, error, host),
    )
    if (same !== undefined) {
      if (host !== undefined && !same.hosts.includes(host)) same.hosts.push(host)
      return
    }
    // Most errors at the end of a run were told when they happened.
    if (
      event.type === 'pipeline.finished' &&
      this.problems.some((known) => known.kind === 'error' && known.error.code === error.code && known.error.problem === error.problem)
    )
      return
    this.problems.push({
      kind,
      severity,
      at: Date.parse(event.at),
      error,
      seen: ('seen' in error ? error.seen : null) ?? null,
      module: event.module ?? null,
      task: event.task ?? null,
      step: event.step ?? null,
      title: event.title ?? null,
      hosts: host === undefined ? [] : [host],
      node: event.node ?? null,
    })
  }
}

/** Words that differ only in the host's name say the same. */
function sameWords(known: Problem, error: ShortError, host: string | undefined): boolean {
  if (known.error.problem === error.problem) return true
  const [first] = known.hosts
  return first !== undefined && host !== undefined && known.error.problem.replaceAll(first, '\0') === error.problem.replaceAll(host, '\0')
}
