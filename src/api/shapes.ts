import type * as z from 'zod'
import { type ClusterSummary, type ClusterView, errorJson, type Job, type jobGraph, jobToJson } from '../app/jobs/index.ts'
import type { ConfigProblem } from '../config/index.ts'
import { type Language, textOf } from '../error/index.ts'
import type { ListedToken, RecordedAudit, TokenOwner } from '../store/index.ts'
import type { auditShape, clusterDetailShape, clusterShape, jobShape, problemShape, sessionShape, tokenShape } from './schemas.ts'

/** A problem of a config in the words of a language. */
export const problemOf = (found: ConfigProblem, language: Language): z.output<typeof problemShape> => {
  const { severity, code, line, col, width, path, source, params } = found
  return { severity, code, line, col, width, path, ...textOf(code, params, language), source }
}

export const jobOf = (job: Job, language: Language): z.output<typeof jobShape> => {
  const json = jobToJson(job, language)
  return { ...json, options: { ...json.options, limit_hosts: [...json.options.limit_hosts] } }
}

export const clusterOf = (cluster: ClusterSummary, language: Language): z.output<typeof clusterShape> => ({
  name: cluster.name,
  kubernetes_version: cluster.kubernetesVersion,
  hosts: cluster.hosts,
  last_job: jobOf(cluster.lastJob, language),
  state: cluster.state,
})

export const clusterDetailOf = (
  cluster: ClusterView,
  history: readonly Job[],
  language: Language,
): z.output<typeof clusterDetailShape> => ({
  ...clusterOf(cluster, language),
  nodes: cluster.nodes.map(({ internalAddress, roles, labels, ...node }) => ({
    ...node,
    internal_address: internalAddress,
    roles: [...roles],
    labels: { ...labels },
  })),
  versions: [...cluster.versions],
  certificates: cluster.certificates.map(({ notBefore, notAfter, ...certificate }) => ({
    ...certificate,
    not_before: notBefore.toISOString(),
    not_after: notAfter.toISOString(),
  })),
  history: history.map((job) => jobOf(job, language)),
})

/** A graph as JSON text: with thousands of nodes it is not worth checking each once more. */
export const graphText = (graph: Awaited<ReturnType<typeof jobGraph>>, language: Language): string =>
  JSON.stringify({
    planned: graph.planned,
    pipeline: graph.pipeline,
    digest: graph.digest,
    seq: graph.seq,
    critical_path: graph.criticalPath,
    nodes: graph.nodes.map(({ startedAt, error, ...node }) => ({ ...node, started_at: startedAt, error: errorJson(error, language) })),
  })

export const sessionOf = ({ name, role, expiresAt }: TokenOwner): z.output<typeof sessionShape> => ({
  name,
  role,
  expires_at: expiresAt?.toISOString() ?? null,
})

export const tokenOf = ({ id, name, role, createdAt, expiresAt, revoked }: ListedToken): z.output<typeof tokenShape> => ({
  id,
  name,
  role,
  created_at: createdAt.toISOString(),
  expires_at: expiresAt?.toISOString() ?? null,
  revoked,
})

export const auditOf = (entry: RecordedAudit): z.output<typeof auditShape> => ({ ...entry, at: entry.at.toISOString() })
