import { criticalPath } from './critical-path.ts'
import type { ExecutionGraph } from './graph.ts'
import type { NodeId, StepNode } from './node.ts'
import { hostList } from './render.ts'

/** How many steps of a task are named in its box. */
const mostNamed = 9

const font = '"Helvetica,Arial,sans-serif"'

interface Box {
  readonly module: string
  readonly task: string
  readonly steps: StepNode[]
  /** The tasks that must have ended before. */
  readonly after: Set<string>
}

/** The plan for Graphviz: modules with a box for each task, which lists its steps and their hosts; the critical path is painted. */
export function toDot(graph: ExecutionGraph): string {
  const boxes = taskBoxes(graph)
  const onPath = new Set(criticalPath(graph).path)
  const lines = [
    'digraph plan {',
    `  ranksep=0.3; nodesep=0.12; fontname=${font}`,
    `  node [shape=box, style="rounded,filled", fillcolor="#eef4fb", color="#7c99bb", fontname=${font}, fontsize=10, margin="0.12,0.06"]; edge [color="#7c99bb", arrowsize=0.6]`,
  ]
  let cluster = 0
  for (const [module, inModule] of Map.groupBy([...boxes], ([, box]) => box.module)) {
    lines.push(`  subgraph cluster_${cluster++} { label=${text(module)}; fontsize=12; color="#c6d4e4"`)
    for (const [id, { task, steps }] of inModule) {
      const paint = steps.some((node) => onPath.has(node.id)) ? ', fillcolor="#ffe2b8", color="#d08a2e"' : ''
      lines.push(`    ${text(id)} [label=${text(`${task}\n${listed(steps)}`).replaceAll('\\n', '\\l')}${paint}]`)
    }
    lines.push('  }')
  }
  for (const [id, { after }] of boxes) for (const before of closest(after, boxes)) lines.push(`  ${text(before)} -> ${text(id)}`)
  return `${[...lines, '}'].join('\n')}\n`
}

/** The plan as a picture. The layout engine is large, so it is loaded only here. */
export async function toSvg(graph: ExecutionGraph): Promise<string> {
  const { Graphviz } = await import('@hpcc-js/wasm-graphviz')
  return (await Graphviz.load()).dot(toDot(graph))
}

const text = (value: string): string => JSON.stringify(value)

function taskBoxes(graph: ExecutionGraph): ReadonlyMap<string, Box> {
  const boxes = new Map<string, Box>()
  /** By node: the tasks it stands for when others need it. A milestone stands for those it joins. */
  const standsFor = new Map<NodeId, ReadonlySet<string>>()
  for (const node of graph.nodes) {
    const behind = new Set(node.needs.flatMap((need) => [...(standsFor.get(need) ?? [])]))
    if (node.kind === 'milestone') {
      standsFor.set(node.id, behind)
      continue
    }
    const id = `${node.module}/${node.task}`
    const box: Box = boxes.get(id) ?? { module: node.module, task: node.task, steps: [], after: new Set() }
    boxes.set(id, box)
    box.steps.push(node)
    for (const before of behind) if (before !== id) box.after.add(before)
    standsFor.set(node.id, new Set([id]))
  }
  return boxes
}

/** Of the tasks before another those that no other of them waits for: the rest follows from these. */
function closest(after: ReadonlySet<string>, boxes: ReadonlyMap<string, Box>): readonly string[] {
  const behind = new Set<string>()
  const pending = [...after].flatMap((id) => [...(boxes.get(id)?.after ?? [])])
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (behind.has(id)) continue
    behind.add(id)
    pending.push(...(boxes.get(id)?.after ?? []))
  }
  return [...after].filter((id) => !behind.has(id))
}

/** The steps of a task, each once with its hosts. */
function listed(steps: readonly StepNode[]): string {
  const each = [...Map.groupBy(steps, ({ title }) => title)].map(([title, same]) => {
    const hosts = same.map(({ host }) => host)
    return roomy(`  ${title} · ${hostList(hosts, 2)}`)
  })
  const more = each.length - mostNamed
  const shown = more > 1 ? [...each.slice(0, mostNamed), `  … and ${more} more`] : each
  return `${shown.join('\n')}\n`
}

/** Boxes are measured for the first font of the list; who has only a wider one must not see words outside. */
const roomy = (line: string): string => line + ' '.repeat(Math.ceil(line.length * 0.35))
