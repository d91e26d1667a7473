import type { Graph, GraphNode } from '../api/types.ts'

/** A step on a host, or a milestone, by its place in the plan. */
export interface NodeInfo {
  readonly index: number
  readonly id: string
  readonly title: string
  readonly step: string
  readonly host: string
  readonly milestone: boolean
  readonly task: number
  readonly needs: readonly number[]
  readonly critical: boolean
}

/** One step of a task, once for all hosts it runs on. */
export interface StepRow {
  readonly step: string
  readonly title: string
  /** The node on each host of the task, in the order of `TaskInfo.hosts`; -1 where the step does not run. */
  readonly cells: readonly number[]
}

export interface TaskInfo {
  readonly index: number
  readonly name: string
  readonly module: number
  readonly rows: readonly StepRow[]
  readonly hosts: readonly string[]
  /** Its steps, without milestones. */
  readonly nodes: readonly number[]
  /** Tasks that have to end first. */
  readonly needs: readonly number[]
  readonly critical: boolean
}

export interface ModuleInfo {
  readonly index: number
  readonly name: string
  readonly tasks: readonly number[]
  readonly needs: readonly number[]
  readonly critical: boolean
}

/** The plan as it is drawn: modules of tasks, tasks of steps, steps on hosts. */
export interface GraphModel {
  readonly nodes: readonly NodeInfo[]
  readonly tasks: readonly TaskInfo[]
  readonly modules: readonly ModuleInfo[]
  readonly hosts: readonly string[]
  /** How many nodes are steps. */
  readonly steps: number
  readonly indexOf: ReadonlyMap<string, number>
}

/** Groups the nodes of a plan. Linear in nodes and edges: plans have thousands of them. */
export function graphModel(graph: Pick<Graph, 'nodes' | 'critical_path'>): GraphModel {
  const indexOf = new Map(graph.nodes.map((node, index) => [node.id, index]))
  const critical = new Set(graph.critical_path)
  const tasks = new Groups()
  const modules = new Groups()
  const nodes = graph.nodes.map((node, index): NodeInfo => {
    const module = modules.of(node.module)
    const task = tasks.of(`${node.module}\n${node.task}`, module)
    return {
      index,
      id: node.id,
      title: node.title,
      step: node.step ?? '',
      host: node.host ?? '',
      milestone: node.kind === 'milestone',
      task,
      needs: node.needs.flatMap((id) => indexOf.get(id) ?? []),
      critical: critical.has(node.id),
    }
  })
  const members = tasks.parents.map((): NodeInfo[] => [])
  for (const node of nodes) members[node.task]?.push(node)
  const taskNeeds = needsBetween(nodes, (node) => node.task, tasks.parents.length)
  const taskInfos = tasks.parents.map((module, index) => taskOf(index, module, members[index] ?? [], graph.nodes, taskNeeds[index] ?? []))
  const moduleNeeds = needsBetween(taskInfos, (task) => task.module, modules.parents.length)
  const moduleTasks = modules.parents.map((): number[] => [])
  for (const task of taskInfos) moduleTasks[task.module]?.push(task.index)
  return {
    nodes,
    tasks: taskInfos,
    modules: modules.names.map((name, index) => ({
      index,
      name,
      tasks: moduleTasks[index] ?? [],
      needs: moduleNeeds[index] ?? [],
      critical: (moduleTasks[index] ?? []).some((task) => taskInfos[task]?.critical === true),
    })),
    hosts: [...new Set(nodes.filter((node) => !node.milestone).map((node) => node.host))],
    steps: nodes.filter((node) => !node.milestone).length,
    indexOf,
  }
}

/** Numbers for names, in the order in which they come up. */
class Groups {
  readonly names: string[] = []
  readonly parents: number[] = []
  readonly #known = new Map<string, number>()

  of(name: string, parent = -1): number {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    this.names.push(name)
    this.parents.push(parent)
    this.#known.set(name, this.names.length - 1)
    return this.names.length - 1
  }
}

interface Needing {
  readonly index: number
  readonly needs: readonly number[]
}

/** Which groups need which others, since members of one need members of the other. */
function needsBetween<T extends Needing>(
  members: readonly T[],
  groupOf: (member: T) => number,
  count: number,
): readonly (readonly number[])[] {
  const needs = Array.from({ length: count }, () => new Set<number>())
  for (const member of members) {
    const group = groupOf(member)
    for (const need of member.needs) {
      const needed = members[need]
      if (needed !== undefined && groupOf(needed) !== group) needs[group]?.add(groupOf(needed))
    }
  }
  return needs.map((set) => [...set])
}

function taskOf(
  index: number,
  module: number,
  members: readonly NodeInfo[],
  source: readonly GraphNode[],
  needs: readonly number[],
): TaskInfo {
  const steps = members.filter((node) => !node.milestone)
  const hosts = [...new Set(steps.map((node) => node.host))]
  const column = new Map(hosts.map((host, at) => [host, at]))
  const rows = new Map<string, { step: string; title: string; cells: number[] }>()
  for (const node of steps) {
    const key = node.id.replace(/@[^@]*$/, '')
    const row = rows.get(key) ?? { step: node.step, title: node.title, cells: hosts.map(() => -1) }
    row.cells[column.get(node.host) ?? 0] = node.index
    rows.set(key, row)
  }
  const [first] = members
  return {
    index,
    name: first === undefined ? '' : (source[first.index]?.task ?? ''),
    module,
    rows: [...rows.values()],
    hosts,
    nodes: steps.map((node) => node.index),
    needs,
    critical: steps.some((node) => node.critical),
  }
}
