import { expect } from 'vitest'
import { labKill, labReboot, labStart } from '../../src/lab/index.ts'
import { eventually } from '../../src/util/eventually.ts'
import { minutes, seconds } from '../../src/util/time.ts'
import { type ClusterCase, expectedNodes } from './cluster-cases.ts'
import { type ClusterLab, inClusterLab } from './cluster-lab.ts'
import { proveCluster } from './cluster-proof.ts'
import { diffSnapshots, type HostSnapshot, snapshotHost } from './host-snapshot.ts'
import type { TestLab } from './with-lab.ts'

/** What a case took, in seconds. */
export interface CaseFigures {
  readonly create: number
  readonly again: number
  readonly remove: number
}

/** Creates a cluster, sees it work and survive, creates it again, deletes it, and looks for traces. */
export async function tryCluster(one: ClusterCase): Promise<CaseFigures> {
  let figures: CaseFigures | null = null
  const { version, masters } = one.choice
  await inClusterLab(
    one.hosts,
    one.choice,
    async (cluster) => {
      const { lab } = cluster
      const before = await snapshots(lab)
      const create = await timed(cluster, 'create-cluster succeeded', 'create', 'cluster')
      const nodes = expectedNodes(one)
      await proveCluster(lab, { nodes, version, master: 'node1' })
      const again = await timed(cluster, 'nothing to change', 'create', 'cluster')
      if (masters > 1) await outliveFirstMaster(cluster, one)
      await comeBack(cluster, nodes.at(-1)?.name ?? '')
      const remove = await timed(cluster, 'delete-cluster succeeded', 'delete', 'cluster', '--yes', '--purge-data')
      const after = await snapshots(lab)
      for (const [host, snapshot] of before) expect(diffSnapshots(snapshot, after.get(host) as HostSnapshot), host).toEqual([])
      figures = { create, again, remove }
    },
    { kubernetes: [version] },
  )
  if (figures === null) throw new Error('the case did not come to its end')
  return figures
}

async function timed({ kubexm }: ClusterLab, said: string, ...args: readonly string[]): Promise<number> {
  const began = performance.now()
  const { code, stdout, stderr } = await kubexm(...args)
  expect(stdout + stderr).toContain(said)
  expect(code).toBe(0)
  return (performance.now() - began) / 1000
}

const snapshots = async (lab: TestLab): Promise<ReadonlyMap<string, HostSnapshot>> =>
  new Map(await Promise.all(lab.hosts.map(async ({ name }) => [name, await snapshotHost(lab, name)] as const)))

/** With the power of one master gone, the API still answers through the load balancer, and the master comes back by itself. */
async function outliveFirstMaster({ lab }: ClusterLab, { survivesAt }: ClusterCase): Promise<void> {
  await labKill(lab.name, 'node1')
  const worker = lab.hosts.at(survivesAt === undefined ? -1 : 1)?.name ?? ''
  const ask =
    survivesAt === undefined
      ? // A worker asks through its own load balancer.
        () =>
          succeeds(
            lab.onHost(
              worker,
              'kubectl --kubeconfig=/etc/kubernetes/kubelet.conf get --raw=/readyz 2>/dev/null || curl -sk -m 3 https://127.0.0.1:6443/readyz | grep -q .',
            ),
          )
      : async () => ((await lab.inNetwork(['curl', '-sk', '-m', '3', `https://${survivesAt}:6443/readyz`])).code === 0 ? true : null)
  expect(await eventually(ask, { every: 500, within: seconds(10) }), 'the API answers within 10 s').toBe(true)
  await labStart(lab.name, 'node1')
}

/** A host that reboots comes back as a ready node. */
async function comeBack({ lab }: ClusterLab, host: string): Promise<void> {
  await labReboot(lab.name, host)
  const names = lab.hosts.map(({ name }) => name)
  const ready = await eventually(
    async () =>
      succeeds(lab.onHost('node1', `kubectl --kubeconfig=/etc/kubernetes/admin.conf wait --for=condition=Ready node --all --timeout=5s`)),
    { every: seconds(1), within: minutes(3) },
  )
  expect(ready, `all of ${names.join(', ')} are ready again`).toBe(true)
}

async function succeeds(attempt: Promise<unknown>): Promise<true | null> {
  try {
    await attempt
    return true
  } catch {
    return null
  }
}
