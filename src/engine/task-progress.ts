import type { NodeState } from '../event/index.ts'
import type { StepNode } from '../plan/index.ts'
import { taskOf } from './rollback.ts'
import type { RunState } from './run-state.ts'

interface OpenTask {
  readonly first: StepNode
  readonly started: number
  left: number
  readonly seen: Set<NodeState>
}

/** Tells when a task begins and ends: with its first and its last step. */
export class TaskProgress {
  readonly #run: RunState
  readonly #sizes = new Map<string, number>()
  readonly #open = new Map<string, OpenTask>()

  constructor(run: RunState) {
    this.#run = run
    for (const node of run.graph.nodes) {
      if (node.kind === 'step') this.#sizes.set(taskOf(node), (this.#sizes.get(taskOf(node)) ?? 0) + 1)
    }
  }

  begin(node: StepNode): void {
    const task = taskOf(node)
    if (this.#open.has(task)) return
    this.#open.set(task, { first: node, started: this.#run.options.clock.steady(), left: this.#sizes.get(task) ?? 0, seen: new Set() })
    this.#run.emit(taskNode(node), { type: 'task.started', title: node.task })
  }

  end(node: StepNode): void {
    const open = this.#open.get(taskOf(node))
    if (open === undefined) return
    open.left--
    open.seen.add(this.#run.states.get(node.id) ?? 'succeeded')
    if (open.left === 0) this.#finish(taskOf(node), open)
  }

  /** A node that is left out counts no more; a task of which all are left out is never told of. */
  leaveOut(node: StepNode): void {
    const task = taskOf(node)
    const open = this.#open.get(task)
    if (open === undefined) {
      this.#sizes.set(task, (this.#sizes.get(task) ?? 1) - 1)
      return
    }
    open.left--
    if (open.left === 0) this.#finish(task, open)
  }

  /** What is still open when the walk is over was cut off. */
  endAll(): void {
    for (const [task, open] of this.#open) this.#finish(task, open)
  }

  #finish(task: string, open: OpenTask): void {
    this.#open.delete(task)
    const ms = this.#run.options.clock.steady() - open.started
    this.#run.emit(taskNode(open.first), { type: 'task.finished', title: open.first.task, outcome: outcomeOf(open), ms })
  }
}

function outcomeOf({ seen, left }: OpenTask): NodeState {
  if (seen.has('failed')) return 'failed'
  if (seen.has('cancelled')) return 'cancelled'
  if (left > 0) return 'blocked'
  return seen.has('succeeded') ? 'succeeded' : 'satisfied'
}

/** Events of a task carry no step and no host. */
const taskNode = (node: StepNode) =>
  ({ kind: 'milestone', id: node.task, needs: [], module: node.module, task: node.task, ends: false }) as const
