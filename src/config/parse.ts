import { dirname } from 'node:path'
import type * as z from 'zod'
import type { SealingKey } from '../util/sealing.ts'
import { takeFirstAlternatives } from './alternatives.ts'
import type { Cluster } from './cluster.ts'
import { RuleContext } from './context.ts'
import { derive } from './derive.ts'
import { rememberFile } from './field-place.ts'
import { freeze } from './freeze.ts'
import { reportIssues } from './issues.ts'
import { isMap, type Path, Places, valueAt } from './places.ts'
import { refuseLocal } from './portable.ts'
import { type ConfigProblem, Problems } from './problem.ts'
import { respell } from './respell.ts'
import { detailRules, unusedBlocks } from './rules/details.ts'
import { endpointRules } from './rules/endpoint.ts'
import { networkRules } from './rules/network.ts'
import { topologyRules } from './rules/topology.ts'
import { versionRules } from './rules/versions.ts'
import { apiVersion, clusterSchema, type ParsedCluster } from './schema/cluster.ts'
import { openSecrets } from './sealing.ts'
import { Source } from './source.ts'
import { largestFile, readTree, type Tree } from './tree.ts'

/** A config file read: the cluster if it is valid, and everything that is wrong or doubtful, in the order of the file. */
export interface ParseResult {
  readonly cluster: Cluster | null
  readonly errors: readonly ConfigProblem[]
  readonly warnings: readonly ConfigProblem[]
}

/** How a text is read. */
export interface ParseOptions {
  /** Opens sealed secrets. */
  readonly key?: SealingKey
  /** Refuses what reaches into the machine that runs the config: it comes from somewhere else. */
  readonly portable?: boolean
}

/** Reads and checks the text of a config file. It never throws on bad input, and reports all errors at once. */
export function parseCluster(text: string, file: string, options: ParseOptions = {}): ParseResult {
  if (text.length > largestFile) return tooLarge(text.length, file)
  const source = new Source(file, text)
  const problems = new Problems(source)
  const tree = readTree(source, problems)
  const cluster = tree === null ? null : check(tree, problems, dirname(file), options)
  if (tree !== null && cluster !== null) rememberFile(cluster, tree, source)
  const errors = withoutEchoes(problems.errors)
  const warnings = withoutEchoes(problems.warnings)
  // Who sends a config elsewhere has no other way to give a secret.
  const told = options.portable === true ? warnings.filter(({ code }) => code !== 'KX_CONFIG_LITERAL_SECRET') : warnings
  return { cluster: errors.length === 0 ? cluster : null, errors, warnings: told }
}

function tooLarge(size: number, file: string): ParseResult {
  const problems = new Problems(new Source(file, ''))
  problems.add('error', 'KX_CONFIG_TOO_LARGE', { size, limit: largestFile }, { start: 0, end: 0, path: '' })
  return { cluster: null, errors: problems.errors, warnings: [] }
}

function check(tree: Tree, problems: Problems, directory: string, { key, portable = false }: ParseOptions): Cluster | null {
  if (!isMap(tree.root)) {
    const seen = Array.isArray(tree.root) ? 'a list' : `the text "${String(tree.root).slice(0, 40)}"`
    problems.add('error', 'KX_CONFIG_NOT_A_MAP', { seen }, { start: 0, end: 0, path: '' })
    return null
  }
  respell(tree, problems)
  if (key !== undefined) openSecrets(tree, key)
  if (portable) refuseLocal(tree, problems)
  const namedHosts = hostNames(tree.root)
  const { parsed, pruned } = applySchema(tree, problems)
  if (parsed === null) return null
  const context = new RuleContext(tree, problems, pruned, namedHosts)
  const cluster = derive(parsed, context)
  for (const rule of [...topologyRules, ...endpointRules, ...networkRules, ...versionRules, ...detailRules, unusedBlocks(defaultCluster())])
    rule(cluster, context)
  return freeze(cluster, directory)
}

function hostNames(root: unknown): ReadonlySet<string> {
  const hosts = valueAt(root, ['spec', 'hosts'])
  return new Set(
    (Array.isArray(hosts) ? hosts : []).map((host) => (isMap(host) ? host.name : null)).filter((name) => typeof name === 'string'),
  )
}

/** Rounds of pruning: each removes at least one value, most files need one. */
const mostRounds = 40

/**
 * Validates the raw values. What is wrong is reported and taken out, until the rest is valid: the rules between fields can then look
 * at everything that is right. Null when not enough is left.
 */
function applySchema(tree: Tree, problems: Problems): { readonly parsed: ParsedCluster | null; readonly pruned: readonly Path[] } {
  let result = clusterSchema.safeParse(tree.root)
  // An empty field means "not given"; whether it may be missing is for the schema to say.
  for (let i = 0; i < mostRounds && !result.success && dropNulls(result.error.issues, tree); i++)
    result = clusterSchema.safeParse(tree.root)
  if (!result.success && takeFirstAlternatives(result.error.issues, tree, problems)) result = clusterSchema.safeParse(tree.root)
  const pruned: Path[] = []
  if (!result.success) reportIssues(result.error.issues, tree, problems)
  for (let i = 0; i < mostRounds && !result.success; i++) {
    const before = pruned.length
    for (const path of prune(result.error.issues, tree)) pruned.push(path)
    if (pruned.length === before) break
    result = clusterSchema.safeParse(tree.root)
  }
  return { parsed: result.success ? result.data : null, pruned }
}

/** Validates and prunes as a check does; for converting, where what is taken out is the result of interest. */
export function applySchemaQuietly(tree: Tree, problems: Problems): void {
  applySchema(tree, problems)
}

function dropNulls(issues: readonly z.core.$ZodIssue[], tree: Tree): boolean {
  let dropped = false
  for (const { path } of issues) {
    const holder = valueAt(tree.root, (path as Path).slice(0, -1))
    const key = path.at(-1)
    if (!isMap(holder) || typeof key !== 'string' || holder[key] !== null) continue
    delete holder[key]
    dropped = true
  }
  return dropped
}

function prune(issues: readonly z.core.$ZodIssue[], tree: Tree): readonly Path[] {
  const doomed = issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys' ? issue.keys.map((key) => [...issue.path, key] as Path) : [issue.path as Path],
  )
  const removed: Path[] = []
  // From the back, so that the indices of what is still to go do not move.
  for (const path of doomed.toSorted(fromTheBack)) {
    const gone = remove(path, tree)
    if (gone !== null) removed.push(gone)
  }
  return removed
}

/** Removes the value at a path; where it is missing, or the file's identity, what surrounds it or puts the only right value there. */
function remove(path: Path, tree: Tree): Path | null {
  if (path.length === 0) return null
  const holder = valueAt(tree.root, path.slice(0, -1))
  const key = path.at(-1) as string | number
  const identity =
    path.join('.') === 'apiVersion'
      ? apiVersion
      : path.join('.') === 'kind'
        ? 'Cluster'
        : path.join('.') === 'metadata'
          ? { name: 'unnamed' }
          : path.join('.') === 'metadata.name'
            ? 'unnamed'
            : null
  if (identity !== null && isMap(holder)) {
    holder[String(key)] = identity
    return path
  }
  if (Array.isArray(holder) && typeof key === 'number' && key < holder.length) {
    tree.places.splice(holder, key)
    return path
  }
  if (isMap(holder) && Object.hasOwn(holder, key)) {
    delete holder[key]
    return path
  }
  return remove(path.slice(0, -1), tree)
}

function fromTheBack(a: Path, b: Path): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const [x, y] = [a[i], b[i]]
    if (x === y) continue
    return typeof x === 'number' && typeof y === 'number' ? y - x : String(x) < String(y) ? 1 : -1
  }
  return b.length - a.length
}

/** Where YAML itself is broken, what the schema thinks of the fragments is noise. */
function withoutEchoes(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const broken = new Set(
    problems.filter(({ code }) => code === 'KX_CONFIG_SYNTAX' || code === 'KX_CONFIG_NO_SPACE').map(({ line }) => line),
  )
  return problems.filter(({ code, line }) => code === 'KX_CONFIG_SYNTAX' || code === 'KX_CONFIG_NO_SPACE' || !broken.has(line))
}

let standard: Cluster | null = null

/** A cluster with nothing but defaults: what a block looks like when the user said nothing about it. */
function defaultCluster(): Cluster {
  if (standard === null) {
    const root = { apiVersion, kind: 'Cluster', metadata: { name: 'default' }, spec: { hosts: [{ name: 'node1', address: '192.0.2.1' }] } }
    const tree: Tree = { root: {}, places: new Places({ key: null, value: [0, 0], path: '', text: null }) }
    standard = derive(clusterSchema.parse(root), new RuleContext(tree, new Problems(new Source('', '')), [], new Set()))
  }
  return standard
}
