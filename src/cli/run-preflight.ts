import { type DryRun, dryRunOperation } from '../app/index.ts'
import { type Cluster, hostsOf, loadCluster } from '../config/index.ts'
import type { KubexmError } from '../error/index.ts'
import { type PreflightReport, renderPreflight } from '../sink/index.ts'
import { type ClusterOptions, sourcesOf } from './cluster-options.ts'
import { askPerson } from './person.ts'

/** Runs all checks on all hosts and prints what they found; gives the exit code. Needs no lease and leaves no journal: it changes nothing. */
export async function runPreflight(options: ClusterOptions & { readonly language?: string }): Promise<number> {
  const cluster = await loadCluster(options.file)
  const cancel = new AbortController()
  process.once('SIGINT', () => cancel.abort(new Error('cancelled by the user')))
  const found = await dryRunOperation({
    cluster,
    pipeline: 'preflight',
    directory: options.directory,
    rehearse: options.rehearse,
    only: options.limit,
    until: null,
    maxFailed: Number.POSITIVE_INFINITY,
    sources: sourcesOf(options),
    ask: askPerson,
    sinks: [],
    cancel: cancel.signal,
    abandon: cancel.signal,
    resume: false,
    rollbackOnFailure: false,
    purgeData: false,
    parallel: null,
    savedPlan: null,
  })
  if (cancel.signal.aborted) return 130
  const report = preflightReport(cluster, found, options.limit)
  process.stdout.write(options.output === 'json' ? `${JSON.stringify(preflightJson(cluster, report), null, 2)}\n` : textOf(report, options))
  return errorsIn(report) > 0 ? 12 : 0
}

const textOf = (report: PreflightReport, { language }: { readonly language?: string }): string =>
  renderPreflight(report, {
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    columns: process.stdout.columns ?? 120,
    language: language === 'zh' ? 'zh' : 'en',
  })

/** The findings by host; those about this machine come last, as `local`. */
export function preflightReport(
  cluster: Cluster,
  { findings, planned, lost = new Map() }: Pick<DryRun, 'findings' | 'planned'> & { readonly lost?: ReadonlyMap<string, KubexmError> },
  only: readonly string[],
): PreflightReport {
  const hosts = hostsOf(cluster).filter(({ name }) => only.length === 0 || only.includes(name))
  const about = ({ name, address, roles }: Pick<PreflightReport['hosts'][number], 'name' | 'address' | 'roles'>) => ({
    name,
    address,
    roles,
    findings: findings.filter(({ host }) => host === name),
    unchecked: [
      ...[...lost].filter(([host]) => host === name).map(([, error]) => ({ check: 'Reach the host', error })),
      ...planned.flatMap(({ node, unknown }) => (node.host !== name || unknown === null ? [] : [{ check: node.title, error: unknown }])),
    ],
  })
  const local = about({ name: 'local', address: 'this machine', roles: [] })
  return { hosts: [...hosts.map(about), ...(local.findings.length + local.unchecked.length > 0 ? [local] : [])] }
}

const errorsIn = ({ hosts }: PreflightReport): number =>
  hosts.reduce((sum, { findings, unchecked }) => sum + unchecked.length + findings.filter(({ severity }) => severity === 'error').length, 0)

/** What `-o json` prints; its fields are stable and described in docs/preflight.md. */
export function preflightJson({ metadata }: Cluster, report: PreflightReport) {
  const warnings = report.hosts.reduce((sum, { findings }) => sum + findings.filter(({ severity }) => severity === 'warning').length, 0)
  return {
    cluster: metadata.name,
    fit: errorsIn(report) === 0,
    errors: errorsIn(report),
    warnings,
    hosts: report.hosts.map(({ name, address, roles, findings, unchecked }) => ({
      name,
      address,
      roles,
      findings: findings.map(({ severity, code, problem, fix, params }) => ({ severity, code, problem, fix, params: params ?? {} })),
      unchecked: unchecked.map(({ check, error }) => ({ check, code: error.code, problem: error.message, fix: error.fix })),
    })),
  }
}
