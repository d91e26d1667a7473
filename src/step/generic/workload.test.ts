import { describe, expect, it } from 'vitest'
import type { StepContext } from '../../runtime/index.ts'
import { complains, ProgramTable, SimulatedHost, says } from '../../simulation/index.ts'
import type { Json } from '../../util/json.ts'
import { daemonSetReady, deploymentReady, explainPod, nodesReady, nodesReadyForNetwork, nodesWithoutNetwork } from './workload.ts'

/** What an API server answers, by the words after `get`; a text stands for itself, a function is asked each time. */
type Answers = Readonly<Record<string, Json | (() => string)>>

/** A host whose kubectl gives these answers, at a time that can be moved on. */
function hostWith(answers: Answers): { readonly ctx: StepContext; readonly asked: string[]; later(seconds: number): void } {
  const asked: string[] = []
  let now = 0
  const programs = new ProgramTable().register('kubectl', (argv) => {
    const words = argv.slice(argv.indexOf('get') + 1).filter((word) => !word.startsWith('--'))
    asked.push(words.join(' '))
    const answer = answers[words.join(' ')]
    if (answer === undefined) return complains('Unable to connect to the server: connection refused')
    if (typeof answer === 'function') return says(answer())
    return says(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  const ctx = {
    on: new SimulatedHost({ programs }).runner(),
    clock: { steady: () => now, sleep: async () => {} },
  } as unknown as StepContext
  return { ctx, asked, later: (seconds) => (now += seconds * 1000) }
}

const daemonSet = (status: Json, generation = 1): Json => ({
  metadata: { generation },
  spec: { selector: { matchLabels: { app: 'flannel' } } },
  status,
})
const all = { observedGeneration: 1, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 }

describe('a DaemonSet', () => {
  const until = daemonSetReady('kube-flannel', 'kube-flannel-ds')
  const name = 'daemonset kube-flannel-ds'

  it.each([
    ['is ready when it runs everywhere', daemonSet(all), null],
    [
      'is not while one is missing',
      daemonSet({ ...all, numberAvailable: 2 }),
      '2 of 3 pods of daemonset kube-flannel/kube-flannel-ds are available',
    ],
    [
      'is not while an old one runs',
      daemonSet({ ...all, updatedNumberScheduled: 1 }),
      '1 of 3 pods of daemonset kube-flannel/kube-flannel-ds are available',
    ],
    ['is not before anybody has looked at it', daemonSet(all, 2), '3 of 3 pods of daemonset kube-flannel/kube-flannel-ds are available'],
    [
      'is not while there is no node',
      daemonSet({ observedGeneration: 1 }),
      '0 of 1 pods of daemonset kube-flannel/kube-flannel-ds are available',
    ],
  ])('%s', async (_, answer, missing) => {
    expect(await until(hostWith({ [name]: answer }).ctx)).toBe(missing)
  })

  it('that is not there is waited for, and so is an API server that does not answer', async () => {
    expect(await until(hostWith({}).ctx)).toBe('Unable to connect to the server: connection refused')
  })

  it('says which pod is not up, where, and why; asking for that only now and then', async () => {
    const { ctx, asked, later } = hostWith({
      [name]: daemonSet({ ...all, numberAvailable: 2 }),
      pods: 'kube-flannel-ds-a   1/1   Running   0   1m\nkube-flannel-ds-b   0/1   ImagePullBackOff   0   1m\n',
      'pod kube-flannel-ds-b': {
        metadata: { name: 'kube-flannel-ds-b' },
        spec: { nodeName: 'node2' },
        status: {
          containerStatuses: [
            { name: 'flannel', ready: false, state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } },
          ],
        },
      },
    })
    const whole =
      '2 of 3 pods of daemonset kube-flannel/kube-flannel-ds are available: kube-flannel-ds-b on node2: flannel ImagePullBackOff: no such image'
    for (let poll = 0; poll < 4; poll++) {
      expect(await until(ctx)).toBe(whole)
      later(0.5)
    }
    expect(asked.filter((words) => words === 'pods')).toHaveLength(1)
    later(3)
    await until(ctx)
    expect(asked.filter((words) => words === 'pods')).toHaveLength(2)
  })
})

describe('a Deployment', () => {
  const until = deploymentReady('kube-system', 'coredns')
  const of = (status: Json, replicas = 2): Json => ({ metadata: { generation: 1 }, spec: { replicas, selector: {} }, status })

  it.each([
    [of({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 2 }), null],
    [
      of({ observedGeneration: 1, replicas: 2, updatedReplicas: 2, availableReplicas: 1 }),
      '1 of 2 pods of deployment kube-system/coredns are available',
    ],
    [
      of({ observedGeneration: 1, replicas: 3, updatedReplicas: 2, availableReplicas: 3 }),
      '0 of 2 pods of deployment kube-system/coredns are available',
    ],
    [of({ observedGeneration: 1 }, 0), null],
  ])('%j', async (answer, missing) => {
    expect(await until(hostWith({ 'deployment coredns': answer }).ctx)).toBe(missing)
  })
})

describe('nodes', () => {
  const until = nodesReady(
    () => ['a', 'b'],
    () => 'v1.34.4',
  )
  const table = (...lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

  it.each([
    [table('a   Ready   control-plane   1m   v1.34.4', 'b   Ready,SchedulingDisabled   worker   1m   v1.34.4'), null],
    [table('a   Ready   <none>   1m   v1.34.4+vendor.1', 'b   Ready   <none>   1m   v1.34.4-lab'), null],
    [table('a   Ready   <none>   1m   v1.34.4'), 'b has not registered'],
    [table('a   Ready   <none>   1m   v1.34.3', 'b   Ready   <none>   1m   v1.34.40'), 'a runs kubelet v1.34.3, not v1.34.4, and 1 more'],
    ['', 'a has not registered, and 1 more'],
  ])('%j', async (answer, missing) => {
    expect(await until(hostWith({ nodes: answer }).ctx)).toBe(missing)
  })

  it('say why they are not ready', async () => {
    const conditions = [
      { type: 'MemoryPressure', status: 'False', message: 'kubelet has sufficient memory available' },
      { type: 'Ready', status: 'False', message: 'cni plugin not initialized' },
    ]
    const { ctx } = hostWith({
      nodes: table('a  NotReady  <none>  1m  v1.34.4', 'b  Ready  <none>  1m  v1.34.4'),
      'node a': { status: { conditions } },
    })
    expect(await until(ctx)).toBe('a is NotReady: cni plugin not initialized')
  })
})

describe('a pod that is not up', () => {
  it.each([
    [
      { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes are available' }] },
      'p: Unschedulable: 0/3 nodes are available',
    ],
    [{ initContainerStatuses: [{ name: 'init', state: { terminated: { reason: 'Error' } } }], phase: 'Pending' }, 'p: init Error'],
    [{ phase: 'Pending', containerStatuses: [{ name: 'x', ready: true, state: { running: {} } }] }, 'p: Pending'],
    [undefined, 'p: no status yet'],
  ])('%j', (status, said) => {
    expect(explainPod({ metadata: { name: 'p' }, ...(status === undefined ? {} : { status }) })).toBe(said)
  })
})

describe('nodes of a cluster whose network the user brings', () => {
  const until = nodesReadyForNetwork(
    () => ['a', 'b'],
    () => 'v1.34.4',
  )
  const lacking =
    'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message:Network plugin returns error'
  const node = (name: string, message: string | null, kubeletVersion = 'v1.34.4'): Json => ({
    metadata: { name },
    status: {
      conditions: message === null ? [] : [{ type: 'Ready', status: message === 'ready' ? 'True' : 'False', message }],
      nodeInfo: { kubeletVersion },
    },
  })

  it.each<[string, readonly Json[], string | null]>([
    ['lack nothing else', [node('a', lacking), node('b', lacking)], null],
    ['may have got it meanwhile', [node('a', 'ready'), node('b', lacking)], null],
    [
      'may lack more',
      [node('a', `[${lacking}, PLEG is not healthy]`), node('b', 'ready')],
      `a is not ready: [${lacking}, PLEG is not healthy]`,
    ],
    ['may not have begun', [node('a', null), node('b', 'ready')], 'a is not ready: it has said nothing yet'],
    ['may be of another version', [node('a', lacking), node('b', lacking, 'v1.33.1')], 'b runs kubelet v1.33.1, not v1.34.4'],
    ['may not be there', [node('a', lacking)], 'b has not registered'],
  ])('%s', async (_, items, missing) => {
    expect(await until(hostWith({ nodes: { items } }).ctx)).toBe(missing)
  })

  it('are named as long as they lack it', async () => {
    const items = [node('a', 'ready'), node('b', lacking), node('c', lacking)]
    expect(await nodesWithoutNetwork(hostWith({ nodes: { items } }).ctx, ['a', 'b'])).toEqual(['b'])
    expect(await nodesWithoutNetwork(hostWith({}).ctx, ['a', 'b'])).toEqual([])
  })
})
