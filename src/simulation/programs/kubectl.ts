import { parseAllDocuments } from 'yaml'
import type { Output } from '../../runner/index.ts'
import { type KubeObject, objectKey, withObject, withoutObject } from '../cluster-state.ts'
import { hasQuorum, mustAnswer } from '../control-plane.ts'
import { readText } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess } from '../state.ts'
import { entryAt } from '../tree.ts'
import { changeNode, nodeVerbs } from './kubectl-node.ts'
import { isReady, kindOf, matches, show } from './kubectl-show.ts'
import { type Words, words } from './words.ts'

const withValue = [
  '--kubeconfig',
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
  '--request-timeout',
  '--context',
  '--server',
  '-s',
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
  mustFindKubeconfig(ctx, given)
  const cluster = mustAnswer(ctx.cluster, ctx.state, !reading.has(verb))
  const call = { ctx, cluster, given, operands, namespace: given.values.get('-n') ?? given.values.get('--namespace') }
  if (verb === 'get') return get(call)
  if (verb === 'apply' || verb === 'create' || verb === 'replace') return apply(call, verb)
  if (verb === 'delete') return remove(call)
  if (verb === 'wait' || verb === 'rollout') return wait(call, verb === 'rollout' ? operands.slice(1) : operands)
  if (verb in nodeVerbs) return changeNode(verb as keyof typeof nodeVerbs, cluster, given, operands)
  return complains(`error: the simulated kubectl does not know: ${verb}`)
}

function mustFindKubeconfig(ctx: ProgramContext, { values }: Words): void {
  const path = values.get('--kubeconfig') ?? ctx.environment.KUBECONFIG ?? '/root/.kube/config'
  if (entryAt(ctx.state.root, path) !== null) return
  if (values.has('--kubeconfig')) throw refuse(`error: stat ${path}: no such file or directory`)
  throw refuse('The connection to the server localhost:8080 was refused - did you specify the right host or port?')
}

/** The objects of the file, or of the input for `-`. */
function objectsGiven({ ctx, given }: Call): readonly KubeObject[] {
  const path = given.values.get('-f') ?? given.values.get('--filename')
  if (path === undefined) throw refuse('error: must specify one of -f and -k')
  const text = path === '-' ? ctx.stdin : readText(ctx.state, path)
  if (text === null) throw refuse(`error: the path "${path}" does not exist`)
  return parseAllDocuments(text).flatMap((document): readonly KubeObject[] => {
    const [error] = 'errors' in document ? document.errors : []
    if (error !== undefined) throw refuse(`error: error parsing ${path}: ${error.message}`)
    const object = 'toJS' in document ? (document.toJS() as KubeObject | null) : null
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
  if (raw !== undefined)
    return hasQuorum(call.cluster, call.ctx.state)
      ? says('ok\n')
      : complains('Error from server (InternalError): etcd failed: reason withheld')
  const output = call.given.values.get('-o') ?? call.given.values.get('--output') ?? null
  const named = namesGiven(call)
  if (named.length > 0) {
    const found = named.map(({ kind, name }) => call.cluster.state.objects.get(objectKey(kind, call.namespace, name)))
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
  const everywhere = call.given.flags.has('-A') || call.given.flags.has('--all-namespaces') || kind === 'Node' || kind === 'Namespace'
  const selector = call.given.values.get('-l') ?? call.given.values.get('--selector') ?? ''
  const listed = [...call.cluster.state.objects.values()].filter(
    (object) =>
      object.kind === kind &&
      (everywhere || (object.metadata.namespace ?? 'default') === (call.namespace ?? 'default')) &&
      matches(object, selector),
  )
  return show(call.cluster, call.ctx.state, listed, output, true)
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
