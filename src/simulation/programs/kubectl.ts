import type { Output } from '../../runner/index.ts'
import { isClusterWide, type KubeObject, objectKey, withObject, withoutObject } from '../cluster-state.ts'
import { hasQuorum, mustAnswer } from '../control-plane.ts'
import { readText } from '../files.ts'
import { registerWaiting } from '../node-daemons.ts'
import { podObjects } from '../pods.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { masterBehind } from '../reach.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess, HostState } from '../state.ts'
import { entryAt } from '../tree.ts'
import { readYamlDocuments } from '../yaml.ts'
import { answerOfEtcd, asksEtcd } from './etcd-gateway.ts'
import { changeNode, nodeVerbs } from './kubectl-node.ts'
import { isReady, kindOf, matches, show } from './kubectl-show.ts'
import { type Words, words } from './words.ts'

const withValue = [
  '--kubeconfig',
  '--cache-dir',
  '-n',
  '--namespace',
  '-o',
  '--output',
  '-f',
  '--filename',
  '-l',
  '--selector',
  '--timeout',
  '--for',
  '--raw',
  '--grace-period',
  '--field-manager',
  '--field-selector',
  '--request-timeout',
  '--context',
  '--server',
  '-s',
  '--certificate-authority',
  '--client-certificate',
  '--client-key',
]

/** What one call of kubectl is about. */
interface Call {
  readonly ctx: ProgramContext
  readonly cluster: ClusterAccess
  readonly given: Words
  readonly operands: readonly string[]
  readonly namespace: string | undefined
}

const reading = new Set(['get', 'wait', 'rollout', 'describe', 'api-resources', 'cluster-info', 'logs', 'explain'])

const kubectl: ProgramModel = (argv, ctx) => {
  const given = words(argv, withValue)
  const [verb = '', ...operands] = given.operands
  if (verb === 'version') return says('Client Version: v1.33.4\n')
  if (verb === 'create' && asksEtcd(given)) return answerOfEtcd(ctx, given)
  mustFindKubeconfig(ctx, given)
  const cluster = mustAnswer(ctx.cluster, ctx.state, !reading.has(verb))
  registerWaiting(cluster, ctx.state)
  const call = { ctx, cluster, given, operands, namespace: given.values.get('-n') ?? given.values.get('--namespace') }
  if (verb === 'get') return get(call)
  if (verb === 'apply' || verb === 'create' || verb === 'replace') return apply(call, verb)
  if (verb === 'delete') return remove(call)
  if (verb === 'wait' || verb === 'rollout') return wait(call, verb === 'rollout' ? operands.slice(1) : operands)
  if (verb === 'certificate') return approve(call, operands)
  if (verb in nodeVerbs) return changeNode(verb as keyof typeof nodeVerbs, cluster, given, operands)
  return complains(`error: the simulated kubectl does not know: ${verb}`)
}

function mustFindKubeconfig(ctx: ProgramContext, { values }: Words): void {
  const path = values.get('--kubeconfig') ?? ctx.environment.KUBECONFIG ?? '/root/.kube/config'
  const server = values.get('--server') ?? values.get('-s')
  if (entryAt(ctx.state.root, path) !== null) {
    mustReach(ctx, server === undefined ? (readText(ctx.state, path) ?? '') : `server: ${server}\n`)
    return
  }
  if (values.has('--kubeconfig')) throw refuse(`error: stat ${path}: no such file or directory`)
  throw refuse('The connection to the server localhost:8080 was refused - did you specify the right host or port?')
}

/** The API server a kubeconfig names must answer. */
function mustReach({ state, cluster }: ProgramContext, kubeconfig: string): void {
  const server = /server:\s*"?(https:\/\/[^"\s]+)/.exec(kubeconfig)?.[1]
  const found = cluster === null || server === undefined ? state : masterBehind(cluster, state, server)
  if (typeof found === 'string') throw refuse(`Unable to connect to the server: ${found}`)
}

/** The objects of the file, or of the input for `-`. */
function objectsGiven({ ctx, given }: Call): readonly KubeObject[] {
  const path = given.values.get('-f') ?? given.values.get('--filename')
  if (path === undefined) throw refuse('error: must specify one of -f and -k')
  const text = path === '-' ? ctx.stdin : readText(ctx.state, path)
  if (text === null) throw refuse(`error: the path "${path}" does not exist`)
  return readYamlDocuments(text).flatMap(({ value, error }): readonly KubeObject[] => {
    if (error !== null) throw refuse(`error: error parsing ${path}: ${error}`)
    const object = value as KubeObject | null
    if (object === null) return []
    const items = (object as unknown as { readonly items?: readonly KubeObject[] }).items
    return items !== undefined && object.kind.endsWith('List') ? items : [object]
  })
}

function apply(call: Call, verb: string): Output {
  const lines: string[] = []
  for (const object of objectsGiven(call)) {
    const { kind, metadata } = object
    if (kind === undefined || metadata?.name === undefined) throw refuse('error: error validating data: kind or metadata.name not set')
    const namespace = metadata.namespace ?? call.namespace
    if (
      namespace !== undefined &&
      !builtinNamespaces.has(namespace) &&
      !call.cluster.state.objects.has(objectKey('Namespace', undefined, namespace))
    )
      throw refuse(`Error from server (NotFound): namespaces "${namespace}" not found`)
    const placed = { ...object, metadata: { ...metadata, ...(namespace === undefined ? {} : { namespace }) } }
    const old = call.cluster.state.objects.get(objectKey(kind, namespace, metadata.name))
    if (verb === 'create' && old !== undefined)
      throw refuse(`Error from server (AlreadyExists): ${kind.toLowerCase()}s "${metadata.name}" already exists`)
    const same = old !== undefined && JSON.stringify(old) === JSON.stringify(placed)
    if (!same) call.cluster.state = withObject(call.cluster.state, placed)
    lines.push(`${kind.toLowerCase()}/${metadata.name} ${old === undefined ? 'created' : same ? 'unchanged' : 'configured'}\n`)
  }
  return says(lines.join(''))
}

const builtinNamespaces = new Set(['default', 'kube-system', 'kube-public', 'kube-node-lease'])

function remove(call: Call): Output {
  const fromFile = call.given.values.has('-f') || call.given.values.has('--filename')
  const keys = fromFile
    ? objectsGiven(call).map(({ kind, metadata }) => objectKey(kind, metadata.namespace ?? call.namespace, metadata.name))
    : namesGiven(call).map(({ kind, name }) => objectKey(kind, call.namespace, name))
  for (const key of keys) {
    if (
      !call.cluster.state.objects.has(key) &&
      !call.given.values.get('--ignore-not-found')?.startsWith('t') &&
      !call.given.flags.has('--ignore-not-found')
    )
      throw refuse(`Error from server (NotFound): ${key} not found`)
    call.cluster.state = withoutObject(call.cluster.state, key)
  }
  return says(keys.map((key) => `${key} deleted\n`).join(''))
}

/** `node/a`, `node a b` and `deployment.apps/x` name objects. */
function namesGiven({ operands }: Call): readonly { readonly kind: string; readonly name: string }[] {
  const [first = '', ...rest] = operands
  if (first.includes('/')) return operands.map((word) => ({ kind: kindOf(word.split('/')[0] ?? ''), name: word.split('/')[1] ?? '' }))
  return rest.map((name) => ({ kind: kindOf(first), name }))
}

function get(call: Call): Output {
  const raw = call.given.values.get('--raw')
  const kubelet = /^\/api\/v1\/nodes\/([^/]+)\/proxy\/healthz$/.exec(raw ?? '')?.[1]
  if (kubelet !== undefined) return askKubelet(call, kubelet)
  if (raw === '/version') return says(`${JSON.stringify({ gitVersion: call.cluster.state.version })}\n`)
  if (raw !== undefined)
    return hasQuorum(call.cluster, call.ctx.state)
      ? says(raw === '/readyz?verbose' ? '[+]ping ok\n[+]etcd ok\nreadyz check passed\n' : 'ok\n')
      : complains(
          'Error from server (InternalError): an error on the server ("[+]ping ok\\n[-]etcd failed: reason withheld\\nreadyz check failed") has prevented the request from succeeding',
        )
  const output = call.given.values.get('-o') ?? call.given.values.get('--output') ?? null
  const named = namesGiven(call)
  const objects = withPods(call.cluster, call.ctx.state, kindOf((call.operands[0] ?? '').split('/')[0] ?? ''))
  if (named.length > 0) {
    const found = named.map(({ kind, name }) => objects.get(objectKey(kind, call.namespace, name)))
    const missing = named.find((_, i) => found[i] === undefined)
    if (missing !== undefined && call.given.flags.has('--ignore-not-found')) return says()
    if (missing !== undefined) throw refuse(`Error from server (NotFound): ${missing.kind.toLowerCase()}s "${missing.name}" not found`)
    return show(
      call.cluster,
      call.ctx.state,
      found.filter((object) => object !== undefined),
      output,
      named.length > 1,
    )
  }
  const kind = kindOf(call.operands[0] ?? '')
  const everywhere = call.given.flags.has('-A') || call.given.flags.has('--all-namespaces') || isClusterWide(kind)
  const selector = call.given.values.get('-l') ?? call.given.values.get('--selector') ?? ''
  const listed = [...objects.values()].filter(
    (object) =>
      object.kind === kind &&
      (everywhere || (object.metadata.namespace ?? 'default') === (call.namespace ?? 'default')) &&
      matches(object, selector) &&
      hasField(object, call.given.values.get('--field-selector')),
  )
  const namespaces = call.given.flags.has('-A') || call.given.flags.has('--all-namespaces')
  return show(call.cluster, call.ctx.state, listed, output, true, namespaces)
}

/** Pods are made by workloads and kubelets, and are nowhere kept: they are as the hosts are. */
const withPods = (cluster: ClusterAccess, seenBy: HostState, kind: string): ReadonlyMap<string, KubeObject> =>
  kind !== 'Pod'
    ? cluster.state.objects
    : new Map([
        ...cluster.state.objects,
        ...podObjects(cluster, seenBy).map((pod) => [objectKey('Pod', pod.metadata.namespace, pod.metadata.name), pod] as const),
      ])

/** `spec.signerName=x`; only one field of a spec is known. */
const hasField = ({ spec }: KubeObject, selector: string | undefined): boolean => {
  const [, name, value] = /^spec\.(\w+)=(.*)$/.exec(selector ?? '') ?? []
  return name === undefined || spec?.[name] === value
}

/** The API server asks a kubelet: it must run, and have its serving certificate if it is to have one from the cluster. */
function askKubelet({ cluster, ctx }: Call, node: string): Output {
  const host = node === ctx.state.machine.name ? ctx.state : cluster.peer(node)
  if (host === null || host.units.get('kubelet.service')?.active !== 'active')
    return complains(`Error from server (ServiceUnavailable): dial tcp ${node}:10250: connect: connection refused`)
  const request = cluster.state.objects.get(objectKey('CertificateSigningRequest', undefined, `csr-${node}`))
  return request === undefined || request.status?.conditions !== undefined
    ? says('ok')
    : complains('Error from server: remote error: tls: internal error')
}

/** `kubectl certificate approve NAME…` */
function approve({ cluster }: Call, [verb, ...names]: readonly string[]): Output {
  if (verb !== 'approve') return complains(`error: the simulated kubectl does not know: certificate ${verb}`)
  for (const name of names) {
    const request = cluster.state.objects.get(objectKey('CertificateSigningRequest', undefined, name))
    if (request === undefined) throw refuse(`Error from server (NotFound): certificatesigningrequests "${name}" not found`)
    cluster.state = withObject(cluster.state, { ...request, status: { conditions: [{ type: 'Approved', status: 'True' }] } })
  }
  return says(names.map((name) => `certificatesigningrequest/${name} approved\n`).join(''))
}

/** Nobody waits in a simulation: what is not so now will not be so later. */
function wait(call: Call, operands: readonly string[]): Output {
  const wanted = call.given.flags.has('--all')
    ? [...call.cluster.state.objects.values()].filter(({ kind }) => kind === kindOf(operands[0] ?? ''))
    : null
  const named = namesGiven({ ...call, operands })
  const objects = wanted ?? named.map(({ kind, name }) => call.cluster.state.objects.get(objectKey(kind, call.namespace, name)))
  for (const [i, object] of objects.entries()) {
    if (object === undefined) throw refuse(`Error from server (NotFound): ${named[i]?.name} not found`)
    if (!isReady(call.cluster, call.ctx.state, object))
      throw refuse(`error: timed out waiting for the condition on ${object.kind.toLowerCase()}s/${object.metadata.name}`)
  }
  return says(objects.map((object) => `${object?.metadata.name} condition met\n`).join(''))
}

/** The client of the API server. */
export function registerKubectl(table: ProgramTable): void {
  table.register('kubectl', kubectl, { needsFile: true })
}
