import { type Cluster, contextName, publicApiUrl } from '../config/index.ts'
import type { ExecuteOptions, Result } from '../engine/index.ts'
import type { PipelineName } from '../pipeline/index.ts'
import type { ExecutionGraph } from '../plan/index.ts'
import type { Host, WorkPaths } from '../runtime/index.ts'

interface Ended {
  readonly cluster: Cluster
  readonly hosts: readonly Host[]
  readonly paths: WorkPaths
  readonly graph: ExecutionGraph
  /** What a rehearsal wrote into its work directory is gone with it. */
  readonly rehearsed: boolean
}

type EndedReport = Parameters<NonNullable<ExecuteOptions['results']>>[0]

/** What people want to know when a run is over: where the new cluster is and how to use it, or that hosts are clean. */
export function resultsOf(pipeline: PipelineName, ended: Ended, report: EndedReport): readonly Result[] {
  if (pipeline === 'create-cluster') return hostsWhere(ended, report, 'nodes.ready').length > 0 ? created(ended, report) : []
  return pipeline === 'delete-cluster' ? wereClean(ended, report) : []
}

/** The hosts on which a step ended well. */
const hostsWhere = (
  { graph }: Ended,
  { states }: EndedReport,
  step: string,
  ends = ['satisfied', 'succeeded', 'resumed'],
): readonly string[] =>
  graph.nodes.flatMap((node) =>
    node.kind === 'step' && node.step.name === step && ends.includes(states.get(node.id) ?? '') ? [node.host] : [],
  )

function created(ended: Ended, report: EndedReport): readonly Result[] {
  const { cluster, hosts, paths, rehearsed } = ended
  const { lost } = report
  const merged = hostsWhere(ended, report, 'client.merge-kubeconfig', ['succeeded']).length > 0
  const here = hosts.filter(({ name, roles }) => !lost.has(name) && (roles.includes('master') || roles.includes('worker')))
  const masters = here.filter(({ roles }) => roles.includes('master')).length
  const workers = here.length - masters
  const kinds = [`${masters} control plane`, ...(workers === 0 ? [] : [`${workers} worker${workers === 1 ? '' : 's'}`])]
  return [
    { label: 'endpoint', text: publicApiUrl(cluster) },
    ...(rehearsed ? [] : [{ label: 'access', text: `export KUBECONFIG=${paths.kubeconfig}` }]),
    ...(merged && !rehearsed ? [{ label: 'kubectl', text: `kubectl --context ${contextName(cluster)}` }] : []),
    { label: 'nodes', text: `${here.length} ready (${kinds.join(', ')}), Kubernetes ${cluster.spec.kubernetes.version}` },
  ]
}

/** Hosts on which there was nothing to take away; the others tell themselves what was looked at. */
const wereClean = (ended: Ended, report: EndedReport): readonly Result[] =>
  hostsWhere(ended, report, 'ownership.forget', ['satisfied']).map((host) => ({
    label: 'clean',
    text: 'nothing of kubexm was there',
    host,
  }))
