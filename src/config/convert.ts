import { stringify } from 'yaml'
import { kubekeyMoves, kubekeyWords, scriptLine } from './kubekey.ts'
import { applySchemaQuietly, type ParseResult, parseCluster } from './parse.ts'
import { isMap, type RawMap, valueAt } from './places.ts'
import { type ConfigProblem, Problems } from './problem.ts'
import { move, respell } from './respell.ts'
import { apiVersion } from './schema/cluster.ts'
import { isSecretKey } from './secret.ts'
import { Source } from './source.ts'
import { readTree, type Tree } from './tree.ts'

/** A config of another tool in our spelling. */
export interface Conversion {
  /** The converted file; empty when the original cannot be read. */
  readonly text: string
  /** What has no counterpart, or a value we do not accept, with its place in the original. */
  readonly lost: readonly ConfigProblem[]
  /** Literal secrets that were replaced by environment variables: field and variable. */
  readonly secrets: readonly { readonly path: string; readonly variable: string }[]
  /** What is wrong with the converted file itself. */
  readonly result: ParseResult
}

/** Converts a KubeKey v3 file (`kubekey.kubesphere.io/v1alpha2`), or any other spelling of ours, and tells what could not be kept. */
export function convertConfig(text: string, file: string): Conversion {
  const problems = new Problems(new Source(file, text))
  const source = new Source(file, text)
  const tree = readTree(source, problems)
  if (tree === null || !isMap(tree.root)) return { text: '', lost: problems.errors, secrets: [], result: parseCluster(text, file) }
  const lost = new Problems(source)
  fromKubekey(tree.root, tree, lost)
  respell(tree, lost)
  applySchemaQuietly(tree, lost)
  const secrets = replaceSecrets(tree.root, 'spec', [])
  const converted = render(tree.root, [...problems.errors, ...lost.errors])
  return { text: converted, lost: [...problems.errors, ...lost.errors], secrets, result: parseCluster(converted, file) }
}

function fromKubekey(root: RawMap, tree: Tree, problems: Problems): void {
  if (!/^kubekey\./.test(String(root.apiVersion))) return
  root.apiVersion = apiVersion
  for (const [from, to] of Object.entries(kubekeyMoves)) move(tree, problems, `spec.${from}`.split('.'), `spec.${to}`.split('.'))
  for (const [path, words] of Object.entries(kubekeyWords)) replaceWord(root, `spec.${path}`.split('.'), words)
  const spec = root.spec
  if (!isMap(spec)) return
  // KubeKey takes an address without an internal load balancer as that of the user's own.
  const endpoint = spec.controlPlaneEndpoint
  if (isMap(endpoint) && typeof endpoint.lb_address === 'string' && endpoint.lb_address !== '' && !endpoint.internalLoadbalancer)
    endpoint.externalLoadBalancer = 'external'
  if (isMap(endpoint) && typeof endpoint.port === 'string' && /^\d+$/.test(endpoint.port)) endpoint.port = Number(endpoint.port)
  const kubernetes = spec.kubernetes
  if (isMap(kubernetes) && kubernetes.disableKubeProxy === true) kubernetes.proxyMode = 'none'
  if (isMap(kubernetes)) delete kubernetes.disableKubeProxy
  const system = spec.system
  if (isMap(system))
    for (const name of ['preInstall', 'postInstall']) if (Array.isArray(system[name])) system[name] = system[name].map(scriptLine)
}

function replaceWord(root: RawMap, path: readonly string[], words: Readonly<Record<string, string>>): void {
  const holder = valueAt(root, path.slice(0, -1))
  const name = String(path.at(-1))
  const word = isMap(holder) ? words[String(holder[name])] : undefined
  if (isMap(holder) && word !== undefined) holder[name] = word
}

/** A literal secret is not written out again: a variable named after its place takes it. */
function replaceSecrets(value: unknown, path: string, found: { path: string; variable: string }[], owner = ''): typeof found {
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries())
      replaceSecrets(inner, `${path}[${index}]`, found, isMap(inner) && typeof inner.name === 'string' ? inner.name : owner)
  } else if (isMap(value)) {
    for (const [key, inner] of Object.entries(value)) {
      const at = key === 'spec' ? 'spec' : `${path}.${key}`
      if (isSecretKey(key) && (typeof inner === 'string' || typeof inner === 'number') && key !== 'clusterToken' && inner !== '') {
        const variable = `KUBEXM_${owner}_${key}`
          .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
          .replaceAll(/[^A-Za-z0-9]+/g, '_')
          .toUpperCase()
        value[key] = { env: variable }
        found.push({ path: at, variable })
      } else replaceSecrets(inner, at, found, path.endsWith('.auths') ? key : owner)
    }
  }
  return found
}

function render(root: RawMap, lost: readonly ConfigProblem[]): string {
  const { apiVersion: version, kind, metadata, ...rest } = root
  const head =
    lost.length === 0
      ? []
      : [
          '# Not converted, because there is no counterpart:',
          ...lost.map(({ path, line, problem }) => `#   line ${line}: ${path === '' ? problem : path}`),
        ]
  return [...head, stringify({ apiVersion: version, kind, metadata, ...rest }, { lineWidth: 0 })].join('\n')
}
