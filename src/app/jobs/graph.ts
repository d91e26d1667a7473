import type { NodeState } from '../../event/index.ts'
import { criticalPath, type ExecutionGraph } from '../../plan/index.ts'
import { type Database, readEventsOf, readGraph } from '../../store/index.ts'
import type { Json } from '../../util/json.ts'

/** A node of a plan as it is kept for those who look at a job. */
interface PlannedNode {
  readonly id: string
  readonly kind: 'step' | 'milestone'
  readonly module: string
  readonly task: string
  readonly step: string | null
  readonly title: string
  readonly host: string | null
  readonly needs: readonly string[]
}

interface PlannedGraph {
  readonly pipeline: string
  readonly digest: string
  readonly criticalPath: readonly string[]
  readonly nodes: readonly PlannedNode[]
}

/** A plan as it is kept with a job: who does what after what; inputs of steps are of no interest to those who watch. */
export const plannedGraph = (graph: ExecutionGraph): Json =>
  ({
    pipeline: graph.pipeline,
    digest: graph.digest,
    criticalPath: criticalPath(graph).path,
    nodes: graph.nodes.map((node) => {
      const { id, kind, module, task, needs } = node
      return node.kind === 'step'
        ? { id, kind, module, task, step: node.step.name, title: node.title, host: node.host, needs }
        : { id, kind, module, task, step: null, title: '', host: null, needs }
    }),
  }) satisfies PlannedGraph as unknown as Json

/** A node and how it stands. */
export interface GraphNode extends PlannedNode {
  readonly state: NodeState
  readonly startedAt: string | null
  readonly ms: number | null
  readonly error: Json | null
}

/** The plan of a job and how each of its nodes stands after the event with number `seq`. */
export interface JobGraph {
  readonly planned: boolean
  readonly pipeline: string
  readonly digest: string | null
  readonly seq: number
  readonly criticalPath: readonly string[]
  readonly nodes: readonly GraphNode[]
}

type Progress = Pick<GraphNode, 'state' | 'startedAt' | 'ms' | 'error'>

const untouched: Progress = { state: 'pending', startedAt: null, ms: null, error: null }
const done: ReadonlySet<NodeState> = new Set(['satisfied', 'succeeded', 'resumed'])

/** The plan of a job with the states of its nodes, from its events. */
export async function jobGraph(database: Database, id: string, pipeline: string): Promise<JobGraph> {
  const { states, seq, over } = await progressOf(database, id)
  const planned = (await readGraph(database, id)) as PlannedGraph | null
  if (planned === null) return { planned: false, pipeline, digest: null, seq, criticalPath: [], nodes: [] }
  const reached = new Map<string, NodeState>()
  const nodes = planned.nodes.map((node): GraphNode => {
    const progress = node.kind === 'milestone' ? milestone(node, reached) : (states.get(node.id) ?? untouched)
    // What was not begun when the run ended will not be.
    const state = over && progress.state === 'pending' ? 'blocked' : progress.state
    reached.set(node.id, state)
    return { ...node, ...progress, state }
  })
  const { digest, criticalPath: path } = planned
  return { planned: true, pipeline, digest, seq, criticalPath: path, nodes }
}

const milestone = ({ needs }: PlannedNode, reached: ReadonlyMap<string, NodeState>): Progress => ({
  ...untouched,
  state: needs.every((need) => done.has(reached.get(need) ?? 'pending')) ? 'satisfied' : 'pending',
})

const telling = ['pipeline.started', 'step.started', 'step.finished', 'pipeline.finished']

interface Told {
  readonly type: string
  readonly at: string
  readonly node?: string
  readonly outcome?: string
  readonly ms?: number
  readonly error?: Json
}

async function progressOf(database: Database, id: string) {
  const { events, last } = await readEventsOf(database, id, telling)
  const states = new Map<string, Progress>()
  let over = false
  for (const { json } of events) {
    const { type, at, node, outcome, ms, error } = JSON.parse(json) as Told
    if (type === 'pipeline.finished') over = true
    else if (type === 'pipeline.started') {
      // Another attempt: what it does not do again it tells as resumed.
      states.clear()
      over = false
    } else if (node !== undefined && type === 'step.started') states.set(node, { state: 'running', startedAt: at, ms: null, error: null })
    else if (node !== undefined) {
      const startedAt = states.get(node)?.startedAt ?? at
      states.set(node, { state: outcome as NodeState, startedAt, ms: ms ?? null, error: error ?? null })
    }
  }
  return { states, seq: last, over }
}
