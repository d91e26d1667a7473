import type { Json } from '../util/json.ts'
import { criticalPath } from './critical-path.ts'
import type { ExecutionGraph } from './graph.ts'
import type { StepNode } from './node.ts'

/** The plan as data: what `plan -o json` prints and `--plan-out` saves. */
export function toJson(graph: ExecutionGraph): Json {
  return {
    pipeline: graph.pipeline,
    digest: graph.digest,
    criticalPath: criticalPath(graph).path,
    nodes: graph.nodes.map((node) =>
      node.kind === 'milestone'
        ? { kind: node.kind, id: node.id, needs: node.needs, module: node.module, task: node.task }
        : {
            kind: node.kind,
            id: node.id,
            needs: node.needs,
            mode: node.mode,
            host: node.host,
            step: node.step.name,
            title: node.title,
            input: node.input,
            inputHash: node.inputHash,
            timeoutMs: node.timeout,
            module: node.module,
            task: node.task,
            rollback: rollbackOf(node),
          },
    ),
  }
}

/** The plan for reading: modules, tasks and steps in order, each step once with its hosts. */
export function toText(graph: ExecutionGraph): string {
  const lines: string[] = []
  const steps = graph.nodes.filter((node): node is StepNode => node.kind === 'step')
  const hosts = new Set(steps.map((node) => node.host).filter((host) => host !== 'local'))
  lines.push(`${graph.pipeline}: ${steps.length} steps on ${hosts.size} hosts, plan ${graph.digest.slice(0, 12)}`)
  for (const [module, inModule] of Map.groupBy(steps, (node) => node.module)) {
    lines.push(`${module}`)
    for (const [task, inTask] of Map.groupBy(inModule, (node) => node.task)) {
      lines.push(`  ${task}`)
      for (const [, same] of Map.groupBy(inTask, (node) => `${node.step.name} ${node.mode} ${node.title}`)) {
        const [first] = same as [StepNode]
        const rollback = rollbackOf(first)
        const sign = first.mode === 'remove' ? '-' : first.step.sort === 'change' ? '+' : '?'
        lines.push(`    ${sign} ${first.title}  (${first.step.name}) on ${hostList(same.map((node) => node.host))}`)
        if (first.mode === 'apply' && first.step.sort === 'change' && rollback !== 'yes')
          lines.push(`        cannot be undone: ${rollback}`)
      }
    }
  }
  const { path } = criticalPath(graph)
  lines.push(`critical path: ${path.filter((id) => id.includes('@')).length} steps`)
  return `${lines.join('\n')}\n`
}

/** `node1, node2, node3` or `300 hosts`. */
export function hostList(hosts: readonly string[], mostNamed = 4): string {
  return hosts.length > mostNamed ? `${hosts.length} hosts` : hosts.join(', ')
}

function rollbackOf({ step }: StepNode): string {
  return typeof step.rollback === 'function' ? 'yes' : step.rollback.irreversible
}
