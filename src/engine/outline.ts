import type { Outline } from '../event/index.ts'
import { criticalPath, type ExecutionGraph } from '../plan/index.ts'

/** The shape of a run for those who watch it. */
export function outlineOf(graph: ExecutionGraph): Outline {
  const modules = new Map<string, Map<string, number>>()
  const hosts = new Set<string>()
  let nodes = 0
  for (const node of graph.nodes) {
    if (node.kind !== 'step') continue
    nodes++
    hosts.add(node.host)
    const tasks = modules.get(node.module) ?? new Map<string, number>()
    modules.set(node.module, tasks)
    tasks.set(node.task, (tasks.get(node.task) ?? 0) + 1)
  }
  return {
    nodes,
    hosts: [...hosts],
    modules: [...modules].map(([name, tasks]) => ({ name, tasks: [...tasks].map(([task, steps]) => ({ name: task, steps })) })),
    criticalPath: criticalPath(graph).path,
  }
}
