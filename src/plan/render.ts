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
  for (const [module, inModule] of groupBy(steps, (node) => node.module)) {
    lines.push(`${module}`)
    for (const [task, inTask] of groupBy(inModule, (node) => node.task)) {
      lines.push(`  ${task}`)
      for (const [, same] of groupBy(inTask, (node) => `${node.step.name} ${node.mode} ${node.title}`)) {
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

/** The plan for Graphviz: a cluster per module and task, steps of a task on many hosts folded into one box. */
export function toDot(graph: ExecutionGraph): string {
  const onPath = new Set(criticalPath(graph).path.map(boxOf))
  const boxes = new Map<string, { label: string; hosts: string[]; module: string; task: string; milestone: boolean }>()
  const edges = new Set<string>()
  for (const node of graph.nodes) {
    const id = boxOf(node.id)
    const box = boxes.get(id) ?? {
      label: node.kind === 'step' ? node.title : '',
      hosts: [],
      module: node.module,
      task: node.task,
      milestone: node.kind === 'milestone',
    }
    if (node.kind === 'step') box.hosts.push(node.host)
    boxes.set(id, box)
    for (const need of node.needs) if (boxOf(need) !== id) edges.add(`  ${text(boxOf(need))} -> ${text(id)}`)
  }
  const lines = [
    'digraph plan {',
    '  rankdir=LR; node [shape=box, style="rounded,filled", fillcolor="#eef4fb", fontname="sans-serif", fontsize=10, margin="0.35,0.08"]; compound=true',
  ]
  let cluster = 0
  for (const [module, inModule] of groupBy([...boxes], ([, box]) => box.module)) {
    lines.push(`  subgraph cluster_${cluster++} { label=${text(module)}; fontname="sans-serif"; color="#9db7d5"`)
    for (const [task, inTask] of groupBy(inModule, ([, box]) => box.task)) {
      lines.push(`    subgraph cluster_${cluster++} { label=${text(task)}; color="#d5dfeb"`)
      for (const [id, box] of inTask) {
        const paint = onPath.has(id) ? ', fillcolor="#ffe2b8"' : ''
        if (box.milestone) lines.push(`      ${text(id)} [label="", shape=point]`)
        else lines.push(`      ${text(id)} [label=${text(`${box.label}\n${hostList(box.hosts)}`)}${paint}]`)
      }
      lines.push('    }')
    }
    lines.push('  }')
  }
  return `${[...lines, ...edges, '}'].join('\n')}\n`
}

/** The plan as a picture. The layout engine is large, so it is loaded only here. */
export async function toSvg(graph: ExecutionGraph): Promise<string> {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz')
  return (await Graphviz.load()).dot(toDot(graph))
}

const boxOf = (id: string): string => id.replace(/@[^@~]*$/, '')
const text = (value: string): string => JSON.stringify(value)

/** `node1, node2, node3` or `300 hosts`. */
function hostList(hosts: readonly string[]): string {
  return hosts.length > 4 ? `${hosts.length} hosts` : hosts.join(', ')
}

function rollbackOf({ step }: StepNode): string {
  return typeof step.rollback === 'function' ? 'yes' : step.rollback.irreversible
}

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    const known = groups.get(key(item))
    if (known === undefined) groups.set(key(item), [item])
    else known.push(item)
  }
  return groups
}
