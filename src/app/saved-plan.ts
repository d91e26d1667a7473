import { readFile, writeFile } from 'node:fs/promises'
import { fail } from '../error/index.ts'
import { type ExecutionGraph, toJson } from '../plan/index.ts'
import type { Host } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'

/** What a saved plan is compared by; what else is in the file is for those who review it. */
interface SavedPlan {
  readonly pipeline?: string
  readonly digest?: string
  readonly nodes?: readonly { readonly id: string; readonly inputHash?: string; readonly needs: readonly string[] }[]
  readonly facts?: Readonly<Record<string, Readonly<Record<string, Json>>>>
}

/**
 * The facts of a host on which plans and steps depend. Neither those that change by themselves, such as free space or the time, nor those
 * that kubexm changes, such as the name: a run that was cut off must still fit its plan.
 */
function planningFacts({ facts }: Host): Readonly<Record<string, Json>> {
  const { machineId, os, packageManager, arch, cpus, memoryMiB, kernel, cgroup, init, virtualization } = facts
  return { machineId, os: `${os.id} ${os.version}`.trim(), packageManager, arch, cpus, memoryMiB, kernel, cgroup, init, virtualization }
}

/** Saves a plan for review, with the facts it was made from; a run can be bound to it. */
export async function writePlan(file: string, graph: ExecutionGraph, hosts: readonly Host[]): Promise<void> {
  const facts = Object.fromEntries(hosts.map((host) => [host.name, planningFacts(host)]))
  await writeFile(file, `${JSON.stringify({ ...(toJson(graph) as object), facts }, null, 2)}\n`)
}

/** Refuses a saved plan that a plan made now would differ from, or that was made from other facts. */
export async function checkSavedPlan(file: string, graph: ExecutionGraph, hosts: readonly Host[]): Promise<void> {
  const saved = await readPlan(file)
  const moved = whatMoved(saved, graph, hosts)
  if (moved !== null) throw fail('KX_PLAN_MOVED', { file, what: moved })
}

async function readPlan(file: string): Promise<SavedPlan> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as SavedPlan
  } catch (cause) {
    throw fail('KX_PLAN_UNREADABLE', { file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}

function whatMoved(saved: SavedPlan, graph: ExecutionGraph, hosts: readonly Host[]): string | null {
  if (saved.pipeline !== graph.pipeline) return `it is a plan for ${saved.pipeline ?? 'something else'}`
  return movedFact(saved.facts ?? {}, hosts) ?? (saved.digest === graph.digest ? null : movedNode(saved.nodes ?? [], graph))
}

function movedFact(saved: NonNullable<SavedPlan['facts']>, hosts: readonly Host[]): string | null {
  for (const host of hosts) {
    const before = saved[host.name]
    if (before === undefined) return `${host.name} was not among its hosts`
    for (const [fact, now] of Object.entries(planningFacts(host))) {
      if (before[fact] !== now) return `${fact} of ${host.name} was ${before[fact] ?? 'unknown'} and is ${now ?? 'unknown'}`
    }
  }
  const gone = Object.keys(saved).find((name) => !hosts.some((host) => host.name === name))
  return gone === undefined ? null : `${gone} was among its hosts`
}

/** The first step that is not what it was: with equal facts only the config can have moved it. */
function movedNode(saved: NonNullable<SavedPlan['nodes']>, graph: ExecutionGraph): string {
  const before = new Map(saved.map((node) => [node.id, node]))
  const now = new Set(graph.nodes.map(({ id }) => id))
  const gone = saved.find(({ id }) => !now.has(id))
  if (gone !== undefined) return `${gone.id} would not be done any more`
  for (const node of graph.nodes) {
    const was = before.get(node.id)
    if (was === undefined) return `${node.id} would be done as well`
    if (node.kind === 'step' && was.inputHash !== node.inputHash) return `${node.id} would be done with other values`
  }
  return 'the order of its steps is another one'
}
