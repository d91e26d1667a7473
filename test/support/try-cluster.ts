import { expect } from 'vitest'
import { labReboot, labStart } from '../../src/lab/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { eventually } from '../../src/util/eventually.ts'
import { minutes, seconds } from '../../src/util/time.ts'
import { standBeside } from './beside.ts'
import { type ClusterCase, clusterHosts, expectedNodes } from './cluster-cases.ts'
import { type ClusterLab, inClusterLab } from './cluster-lab.ts'
import { kubectlOn, proveCluster, proveNodes } from './cluster-proof.ts'
import { awayWithout } from './failover.ts'
import { diffSnapshots, type HostSnapshot, snapshotHost } from './host-snapshot.ts'
import { recordsIn, secretsOf, tellings } from './secrets.ts'
import { specialProofs } from './special-proofs.ts'
import type { TestLab } from './with-lab.ts'

/** What a case took, in seconds. */
export interface CaseFigures {
  readonly create: number
  readonly again: number
  /** From the end of a master until the API answers again, every time; where there are more masters. */
  readonly failover?: number
  readonly remove: number
}

/** Creates a cluster, sees it work and survive, creates it again, deletes it, and looks for traces and told secrets. */
export async function tryCluster(one: ClusterCase): Promise<CaseFigures> {
  let figures: CaseFigures | null = null
  const { version, masters } = one.choice
  await inClusterLab(
    one.hosts,
    one.choice,
    async (cluster) => {
      if (one.beside !== undefined) await standBeside(cluster, one.beside)
      const hosts = clusterHosts(one)
      const before = await snapshots(cluster.lab, hosts)
      expect(await cluster.kubexm('plan', '-o', 'json')).toMatchObject({ code: 0, stderr: '' })
      const create = await timed(cluster, 'create-cluster succeeded', 'create', 'cluster')
      await prove(cluster, one)
      const again = await timed(cluster, 'nothing to change', 'create', 'cluster')
      const failover = masters > 1 ? await outliveMaster(cluster, one) : undefined
      if (one.network !== 'none') await comeBack(cluster, expectedNodes(one).at(-1)?.name ?? '')
      const secrets = await secretsOf(cluster.directory, cluster.lab.name, cluster.config)
      const ledgers = await Promise.all(
        hosts.map(async (host) => [host, await cluster.lab.onHost(host, `cat ${hostPaths.ledger}`)] as const),
      )
      const remove = await timed(cluster, 'delete-cluster succeeded', 'delete', 'cluster', '--yes', '--purge-data')
      const after = await snapshots(cluster.lab, hosts)
      for (const [host, snapshot] of before) expect(diffSnapshots(snapshot, after.get(host) as HostSnapshot), host).toEqual([])
      expect(Object.keys(secrets).length).toBeGreaterThan(8)
      expect(tellings(secrets, { ...cluster.said(), ...(await recordsIn(cluster.directory)), ...Object.fromEntries(ledgers) })).toEqual([])
      figures = { create, again, remove, ...(failover === undefined ? {} : { failover }) }
    },
    { kubernetes: [version] },
  )
  if (figures === null) throw new Error('the case did not come to its end')
  return figures
}

/** Without a network plugin nodes are there and wait for one; else everything works. */
async function prove({ lab }: ClusterLab, one: ClusterCase): Promise<void> {
  const { version } = one.choice
  const nodes = expectedNodes(one)
  if (one.network === 'none') await proveNodes(kubectlOn(lab, 'node1'), nodes, version, 'False')
  else await proveCluster(lab, { nodes, version, master: 'node1' }, ...(one.shows ?? []).map((special) => specialProofs[special]))
}

async function timed({ kubexm }: ClusterLab, said: string, ...args: readonly string[]): Promise<number> {
  const began = performance.now()
  const { code, stdout, stderr } = await kubexm(...args)
  expect(stdout + stderr).toContain(said)
  expect(code).toBe(0)
  return (performance.now() - began) / 1000
}

const snapshots = async (lab: TestLab, hosts: readonly string[]): Promise<ReadonlyMap<string, HostSnapshot>> =>
  new Map(await Promise.all(hosts.map(async (name) => [name, await snapshotHost(lab, name)] as const)))

/** With the power of one master gone, the API answers again within ten seconds, and the master comes back by itself. */
async function outliveMaster(cluster: ClusterLab, one: ClusterCase): Promise<number> {
  const { controlPlaneEndpoint } = (one.choice.spec ?? {}) as { readonly controlPlaneEndpoint?: { readonly lb_address?: string } }
  const address = controlPlaneEndpoint?.lb_address ?? ''
  const nodes = expectedNodes(one)
  const masters = nodes.filter(({ roles }) => roles.includes('control-plane')).map(({ name }) => name)
  const victim = await mostMissed(cluster.lab, masters, address)
  // Without an address for all, a worker asks through its own load balancer.
  const hasAddress = one.beside === 'balancer' || address !== ''
  const worker = nodes.filter(({ name }) => name !== victim).at(-1)?.name ?? ''
  const away = await awayWithout(cluster, victim, hasAddress ? 'outside' : { host: worker, url: 'https://lb.kubexm.local:6443' })
  expect(away, `milliseconds until the API answers without ${victim}`).toBeLessThanOrEqual(seconds(10))
  await labStart(cluster.lab.name, victim)
  return away / 1000
}

/** The master that holds the virtual address, else the first one. */
async function mostMissed(lab: TestLab, masters: readonly string[], address: string): Promise<string> {
  const held = masters.map((name) => (address === '' ? '' : lab.onHost(name, `ip -o address show to ${address}`)))
  return masters[(await Promise.all(held)).findIndex((text) => text !== '')] ?? masters[0] ?? ''
}

/** A host that reboots comes back as a ready node. */
async function comeBack({ lab }: ClusterLab, host: string): Promise<void> {
  await labReboot(lab.name, host)
  const ready = await eventually(
    async () => {
      try {
        return await kubectlOn(lab, 'node1')('wait --for=condition=Ready node --all --timeout=5s')
      } catch {
        return null
      }
    },
    { every: seconds(1), within: minutes(3) },
  )
  expect(ready, `all nodes are ready again after the reboot of ${host}`).not.toBeNull()
}
