import type { Output } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { lastLines } from '../../util/last-lines.ts'
import { type Millis, seconds } from '../../util/time.ts'
import { kubectl } from './kubernetes.ts'

/** What a wait asks again and again: null when it has come, else what is missing. */
type Until = (ctx: StepContext) => Promise<string | null>

/** Something that has not come yet, and how to find out why. */
interface Pending {
  readonly what: string
  /** What is behind it; null where there is no more to say. */
  why(): Promise<string | null>
}

/** How often reasons are asked for: they cost a round trip more, and only the last one is ever shown. */
const reasonsEvery: Millis = seconds(3)

/** Looks often, asks for reasons seldom. */
function until(look: (ctx: StepContext) => Promise<Pending | null>): Until {
  const told = new WeakMap<StepContext, { readonly at: Millis; readonly why: string | null }>()
  return async (ctx) => {
    const pending = await look(ctx)
    if (pending === null) return null
    const now = ctx.clock.steady()
    let known = told.get(ctx)
    if (known === undefined || now - known.at >= reasonsEvery) {
      known = { at: now, why: await pending.why() }
      told.set(ctx, known)
    }
    return known.why === null ? pending.what : `${pending.what}: ${known.why}`
  }
}

/** Asks the API server once; an answer that does not come is no error while one waits. */
const ask = (ctx: StepContext, ...words: readonly string[]): Promise<Output> =>
  ctx.on.run(kubectl(...words, '--request-timeout=10s'), { ok: 'any' })

const silent = ({ stderr }: Output): Pending => ({ what: lastLines(stderr, 1), why: async () => null })

interface Workload {
  readonly metadata: { readonly generation?: number }
  readonly spec: { readonly replicas?: number; readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> } }
  readonly status?: Readonly<Partial<Record<StatusCount, number>>>
}
type StatusCount =
  | 'observedGeneration'
  | 'desiredNumberScheduled'
  | 'updatedNumberScheduled'
  | 'numberAvailable'
  | 'updatedReplicas'
  | 'availableReplicas'
  | 'replicas'

/** How many pods of a workload there are to be, and how many are up and new. */
type Counted = (workload: Workload) => { readonly wanted: number; readonly up: number }

const daemonSet: Counted = ({ status = {} }) => ({
  // Without a node there is nothing to run, and that is not what anybody waits for.
  wanted: Math.max(1, status.desiredNumberScheduled ?? 0),
  up: Math.min(status.updatedNumberScheduled ?? 0, status.numberAvailable ?? 0),
})

const deployment: Counted = ({ spec, status = {} }) => ({
  wanted: spec.replicas ?? 1,
  // While old pods are still there `replicas` is more than is wanted.
  up: (status.replicas ?? 0) > (spec.replicas ?? 1) ? 0 : Math.min(status.updatedReplicas ?? 0, status.availableReplicas ?? 0),
})

const workloadReady = (
  kind: 'daemonset' | 'deployment',
  counted: Counted,
  namespace: string,
  name: string,
  atLeast: (ctx: StepContext) => number = () => 0,
): Until =>
  until(async (ctx) => {
    const answer = await ask(ctx, 'get', kind, name, `--namespace=${namespace}`, '--output=json')
    if (answer.code !== 0) return silent(answer)
    const workload = JSON.parse(answer.stdout) as Workload
    const { wanted: known, up } = counted(workload)
    const wanted = Math.max(known, atLeast(ctx))
    const seen = workload.status?.observedGeneration ?? 0
    if (up >= wanted && seen >= (workload.metadata.generation ?? 0)) return null
    return {
      what: `${up} of ${wanted} pods of ${kind} ${namespace}/${name} are available`,
      why: () => podTrouble(ctx, namespace, workload.spec.selector.matchLabels ?? {}),
    }
  })

/** Waits until a DaemonSet runs on every node it is for; `nodes` tells how many there will be at least, once all have registered. */
export const daemonSetReady = (namespace: string, name: string, nodes?: (ctx: StepContext) => number): Until =>
  workloadReady('daemonset', daemonSet, namespace, name, nodes)

/** Waits until a Deployment has all its replicas. */
export const deploymentReady = (namespace: string, name: string): Until => workloadReady('deployment', deployment, namespace, name)

/** A pod, as far as its troubles go. */
export interface Pod {
  readonly metadata: { readonly name: string }
  readonly spec?: { readonly nodeName?: string }
  readonly status?: {
    readonly phase?: string
    readonly conditions?: readonly Condition[]
    readonly initContainerStatuses?: readonly ContainerStatus[]
    readonly containerStatuses?: readonly ContainerStatus[]
  }
}
interface Condition {
  readonly type: string
  readonly status: string
  readonly reason?: string
  readonly message?: string
}
interface ContainerStatus {
  readonly name: string
  readonly ready?: boolean
  readonly state?: Readonly<Partial<Record<'waiting' | 'terminated' | 'running', { readonly reason?: string; readonly message?: string }>>>
}

/** Which pod is not up, where, and why: the first one that says something. */
async function podTrouble(ctx: StepContext, namespace: string, labels: Readonly<Record<string, string>>): Promise<string | null> {
  const selector = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  const table = await ask(ctx, 'get', 'pods', `--namespace=${namespace}`, `--selector=${selector.join(',')}`, '--no-headers')
  // The table is short for any number of pods; only one of them is then asked for in full.
  const down = table.stdout.split('\n').find((line) => line !== '' && !isPodUp(line))
  if (table.code !== 0 || down === undefined) return null
  const [name = ''] = down.split(/\s+/)
  const answer = await ask(ctx, 'get', 'pod', name, `--namespace=${namespace}`, '--output=json')
  return answer.code === 0 ? explainPod(JSON.parse(answer.stdout) as Pod) : null
}

/** Whether a line of the table of pods, `NAME 1/1 Running …`, tells of one that is up. */
export function isPodUp(line: string): boolean {
  const [, ready = '', status] = line.split(/\s+/)
  const [up, all] = ready.split('/')
  return status === 'Running' && up === all
}

/** Why a pod is not up, in one line. */
export function explainPod({ metadata, spec, status }: Pod): string {
  const where = spec?.nodeName === undefined ? '' : ` on ${spec.nodeName}`
  const containers = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])]
  const stuck = containers.find(({ ready, state }) => ready !== true && (state?.waiting ?? state?.terminated) !== undefined)
  const unscheduled = status?.conditions?.find(({ type, status: is }) => type === 'PodScheduled' && is === 'False')
  const reason = stuck === undefined ? unscheduled : (stuck.state?.waiting ?? stuck.state?.terminated)
  const said = [reason?.reason, reason?.message].filter((part) => part !== undefined && part !== '').join(': ')
  const container = stuck === undefined ? '' : `${stuck.name} `
  return `${metadata.name}${where}: ${said === '' ? (status?.phase ?? 'no status yet') : `${container}${said}`}`
}

type Names = (ctx: StepContext) => readonly string[]

/** Waits until the API server knows all these nodes. */
export const nodesKnown = (names: Names): Until => nodesUntil(names, () => null)

/** Waits until all these nodes are Ready and their kubelets are of this version. */
export const nodesReady = (names: Names, version: (ctx: StepContext) => string): Until =>
  nodesUntil(names, (line, ctx) => {
    const [name = '', status = '', , , kubelet = ''] = line.split(/\s+/)
    // The status is one word or several with commas between, such as Ready,SchedulingDisabled.
    if (status.split(',')[0] !== 'Ready') return { what: `${name} is ${status}`, why: () => nodeTrouble(ctx, name) }
    return wrongKubelet(name, kubelet, version(ctx))
  })

function wrongKubelet(name: string, kubelet: string, wanted: string): Pending | null {
  // A distribution's own build says so behind the version.
  if (kubelet === wanted || kubelet.startsWith(`${wanted}-`) || kubelet.startsWith(`${wanted}+`)) return null
  return { what: `${name} runs kubelet ${kubelet}, not ${wanted}`, why: async () => null }
}

/** What a kubelet says that lacks a network plugin and nothing else: of several reasons it makes a list in brackets. */
const lacksNetworkOnly = /^container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady/

/** Waits until all these nodes are Ready, or lack nothing for it but a network plugin, and their kubelets are of this version. */
export const nodesReadyForNetwork = (names: Names, version: (ctx: StepContext) => string): Until =>
  until(async (ctx) => {
    const nodes = await nodesIn(ctx)
    if ('what' in nodes) return nodes
    return firstOf(
      names(ctx).map((name) => {
        const node = nodes.get(name)
        if (node === undefined) return unregistered(name)
        if (node.ready || lacksNetworkOnly.test(node.message)) return wrongKubelet(name, node.kubelet, version(ctx))
        return { what: `${name} is not ready`, why: async () => node.message }
      }),
    )
  })

/** The nodes of these that are not ready for lack of a network plugin. */
export async function nodesWithoutNetwork(ctx: StepContext, names: readonly string[]): Promise<readonly string[]> {
  const nodes = await nodesIn(ctx)
  return 'what' in nodes ? [] : names.filter((name) => nodes.get(name)?.ready === false)
}

interface SeenNode {
  readonly ready: boolean
  readonly message: string
  readonly kubelet: string
}

interface NodeObject {
  readonly metadata: { readonly name: string }
  readonly status?: { readonly conditions?: readonly Condition[]; readonly nodeInfo?: { readonly kubeletVersion?: string } }
}

/** All nodes by name, or that nobody answers. */
async function nodesIn(ctx: StepContext): Promise<ReadonlyMap<string, SeenNode> | Pending> {
  const answer = await ask(ctx, 'get', 'nodes', '--output=json')
  if (answer.code !== 0) return silent(answer)
  const { items } = JSON.parse(answer.stdout) as { readonly items: readonly NodeObject[] }
  return new Map(
    items.map(({ metadata, status }) => {
      const ready = status?.conditions?.find(({ type }) => type === 'Ready')
      const seen = { ready: ready?.status === 'True', message: ready?.message ?? 'it has said nothing yet' }
      return [metadata.name, { ...seen, kubelet: status?.nodeInfo?.kubeletVersion ?? '' }]
    }),
  )
}

const unregistered = (name: string): Pending => ({ what: `${name} has not registered`, why: async () => null })

/** The first thing that has not come, and how many more; null where all has come. */
function firstOf(found: readonly (Pending | null)[]): Pending | null {
  const pending = found.filter((one) => one !== null)
  const [first] = pending
  if (first === undefined) return null
  return { ...first, what: pending.length === 1 ? first.what : `${first.what}, and ${pending.length - 1} more` }
}

/** Waits until nothing is wrong with any of these nodes, as the table of nodes shows them: `NAME STATUS ROLES AGE VERSION`. */
const nodesUntil = (names: Names, wrong: (line: string, ctx: StepContext) => Pending | null): Until =>
  until(async (ctx) => {
    const answer = await ask(ctx, 'get', 'nodes', '--no-headers')
    if (answer.code !== 0) return silent(answer)
    const seen = new Map(answer.stdout.split('\n').map((line) => [line.split(/\s+/)[0] ?? '', line]))
    return firstOf(
      names(ctx).map((name) => {
        const line = seen.get(name)
        return line === undefined ? unregistered(name) : wrong(line, ctx)
      }),
    )
  })

async function nodeTrouble(ctx: StepContext, name: string): Promise<string | null> {
  const answer = await ask(ctx, 'get', 'node', name, '--output=json')
  if (answer.code !== 0) return null
  const { status } = JSON.parse(answer.stdout) as { readonly status?: { readonly conditions?: readonly Condition[] } }
  return status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? null
}
