import { X509Certificate } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Cluster, configError, hostsOf, maskConfig, parseCluster } from '../../config/index.ts'
import { workPaths } from '../../runtime/index.ts'
import { type ClusterRecord, configOf, findCluster, type Job, lastConfigJob } from '../../store/index.ts'
import type { Jobs } from './open.ts'
import { changes, optionsFromJson } from './options.ts'

/** What can be told of a cluster at a glance. */
export interface ClusterSummary {
  readonly name: string
  readonly kubernetesVersion: string | null
  readonly hosts: number
  readonly lastJob: Job
  /** By the last job that changed it and succeeded. */
  readonly state: 'present' | 'absent' | 'changing' | 'unknown'
}

/** A certificate of a cluster as the work directory has it. */
export interface CertificateView {
  readonly name: string
  readonly subject: string
  readonly notBefore: Date
  readonly notAfter: Date
  readonly ca: boolean
  readonly host: string | null
}

/** What can be told of a cluster in detail. */
export interface ClusterView extends ClusterSummary {
  readonly nodes: ReturnType<typeof nodesOf>
  readonly versions: readonly { readonly name: string; readonly version: string }[]
  readonly certificates: readonly CertificateView[]
}

/** A cluster at a glance. */
export async function clusterSummary(jobs: Jobs, record: ClusterRecord): Promise<ClusterSummary> {
  const cluster = await lastCluster(jobs, record.name)
  return summaryOf(record, cluster)
}

/** A cluster in detail; null where no job ever was about it. */
export async function clusterView(jobs: Jobs, name: string): Promise<ClusterView | null> {
  const record = await findCluster(jobs.database, name)
  if (record === null) return null
  const cluster = await lastCluster(jobs, name)
  return {
    ...summaryOf(record, cluster),
    nodes: cluster === null ? [] : nodesOf(cluster),
    versions: cluster === null ? [] : versionsOf(cluster),
    certificates: await certificatesOf(jobs.directory, name),
  }
}

/** The config a cluster was last worked on with, secrets hidden. */
export const clusterConfig = async ({ database }: Jobs, name: string): Promise<string> =>
  maskConfig(await configOf(database, await lastConfigJob(database, name)))

function summaryOf({ name, lastJob, lastChange }: ClusterRecord, cluster: Cluster | null): ClusterSummary {
  const busy = lastJob.status === 'Processing' && changes(lastJob.pipeline, optionsFromJson(lastJob.options))
  const settled = lastChange === null ? 'unknown' : lastChange === 'delete-cluster' ? 'absent' : 'present'
  const hosts = cluster?.spec.hosts.length ?? 0
  return { name, kubernetesVersion: cluster?.spec.kubernetes.version ?? null, hosts, lastJob, state: busy ? 'changing' : settled }
}

/** A cluster as it was last submitted; refused where there is none, or where its config is none to this version. */
export async function knownCluster(jobs: Jobs, name: string): Promise<Cluster> {
  const cluster = await lastCluster(jobs, name)
  if (cluster !== null) return cluster
  const file = `${name}.yaml`
  throw configError(file, parseCluster(await configOf(jobs.database, await lastConfigJob(jobs.database, name)), file, { key: jobs.key }))
}

/** Configs do not change once they are recorded: reading one again is of no use. */
const read = new Map<string, Cluster | null>()
const mostRead = 200

/** The cluster as last submitted. */
async function lastCluster({ database, key }: Jobs, name: string): Promise<Cluster | null> {
  const id = await lastConfigJob(database, name)
  const known = read.get(id)
  if (known !== undefined) return known
  const { cluster } = parseCluster(await configOf(database, id), `${name}.yaml`, { key })
  if (read.size >= mostRead) read.clear()
  read.set(id, cluster)
  return cluster
}

const nodesOf = (cluster: Cluster) =>
  hostsOf(cluster).map(({ name, address, internalAddress, roles, arch, labels }) => ({
    name,
    address,
    internalAddress,
    roles,
    arch,
    labels,
  }))

function versionsOf({ spec }: Cluster): ClusterView['versions'] {
  const { kubernetes, etcd, network } = spec
  const runtime = kubernetes.containerRuntime
  const named = [
    ['kubernetes', kubernetes.version],
    ['etcd', etcd.type === 'external' ? undefined : etcd.version],
    [runtime.type, runtime.version],
    [network.plugin, ''],
  ] as const
  return named.flatMap(([name, version]) => (version === undefined ? [] : [{ name, version }]))
}

async function certificatesOf(directory: string, name: string): Promise<readonly CertificateView[]> {
  const paths = workPaths(directory, name)
  const found = await Promise.all((['kubernetes', 'etcd'] as const).map((of) => certificatesIn(paths.certs(of), of)))
  return found.flat()
}

async function certificatesIn(directory: string, of: string): Promise<readonly CertificateView[]> {
  const files = await readdir(directory, { recursive: true }).catch(() => [])
  const found = await Promise.all(files.toSorted().map((file) => certificateOf(directory, of, file)))
  return found.filter((certificate) => certificate !== null)
}

/** A file as the PKI keeps it: `ca.crt`, `hosts/node1/apiserver.crt`. Null for one that is no certificate, or gone meanwhile. */
async function certificateOf(directory: string, of: string, file: string): Promise<CertificateView | null> {
  const [, host = null, name] = /^(?:hosts\/([^/]+)\/)?(.+)\.crt$/.exec(file) ?? []
  if (name === undefined) return null
  try {
    const { subject, validFromDate, validToDate, ca } = new X509Certificate(await readFile(join(directory, file)))
    return { name: `${of}/${name}`, subject: subject.replaceAll('\n', ', '), notBefore: validFromDate, notAfter: validToDate, ca, host }
  } catch {
    // A page that shows all others is of more use than none; `kubexm status` names the broken one.
    return null
  }
}
