import type { Graph, GraphNode } from '../../src/web/api/types.ts'

/** A module of a made-up plan: its tasks one after the other, each with its steps on every host. */
export interface MadeModule {
  readonly name: string
  /** Modules that have to end first. */
  readonly after?: readonly string[]
  /** Names of tasks, and how many steps each has. */
  readonly tasks: Readonly<Record<string, number>>
  readonly hosts: readonly string[]
}

/** A plan in the shape of real ones: milestones around every task, steps of a host one after the other. */
export function madeGraph(modules: readonly MadeModule[]): Graph {
  const nodes: GraphNode[] = []
  const ends = new Map<string, string>()
  const plain = { state: 'pending', started_at: null, ms: null, error: null } as const
  for (const { name: module, after = [], tasks, hosts } of modules) {
    let before = after.flatMap((needed) => ends.get(needed) ?? [])
    for (const [task, steps] of Object.entries(tasks)) {
      const milestone = { kind: 'milestone', module, task, step: null, title: '', host: null, ...plain } as const
      nodes.push({ ...milestone, id: `${task}:begin`, needs: before })
      const lasts = hosts.map((host) => {
        let previous = `${task}:begin`
        for (let n = 1; n <= steps; n++) {
          const id = `${task}/${task}.step-${n}@${host}`
          nodes.push({
            ...plain,
            id,
            kind: 'step',
            module,
            task,
            step: `${task}.step-${n}`,
            title: `Step ${n} of ${task}`,
            host,
            needs: [previous],
          })
          previous = id
        }
        return previous
      })
      nodes.push({ ...milestone, id: `${task}:end`, needs: lasts })
      before = [`${task}:end`]
      ends.set(module, `${task}:end`)
    }
  }
  const [host = ''] = modules[0]?.hosts ?? []
  const critical_path = nodes.filter((node) => node.host === null || node.host === host).map((node) => node.id)
  return { planned: true, pipeline: 'create-cluster', digest: 'd', seq: 0, critical_path, nodes }
}

/** `node1` … */
export const hostNames = (count: number): readonly string[] => Array.from({ length: count }, (_, at) => `node${at + 1}`)

/** A plan like that of a create, for so many hosts: about sixty steps a host. */
export function createPlan(count: number): Graph {
  const hosts = hostNames(count)
  return madeGraph([
    { name: 'preflight', tasks: { preflight: 32 }, hosts },
    { name: 'node', after: ['preflight'], tasks: { kernel: 2, hostname: 1, swap: 1, packages: 1 }, hosts },
    { name: 'certificates', after: ['preflight'], tasks: { certificates: 1 }, hosts: ['local'] },
    { name: 'runtime', after: ['node', 'certificates'], tasks: { containerd: 6 }, hosts },
    { name: 'etcd', after: ['runtime'], tasks: { etcd: 5 }, hosts: hosts.slice(0, 3) },
    { name: 'images', after: ['runtime'], tasks: { images: 2 }, hosts },
    { name: 'control-plane', after: ['etcd', 'images'], tasks: { 'control-plane': 6 }, hosts: hosts.slice(0, 3) },
    { name: 'workers', after: ['control-plane'], tasks: { kubelets: 6, 'kube-proxies': 5 }, hosts },
    { name: 'readiness', after: ['workers'], tasks: { 'node-settings': 2, 'nodes-ready': 1 }, hosts },
  ])
}
