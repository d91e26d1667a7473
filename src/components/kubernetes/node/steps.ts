import { hostLayout } from '../../../config/index.ts'
import { finding } from '../../../event/index.ts'
import { controlPlaneTaint, kubeletRoot, nodeLabels, nodeTaints } from '../../../manifest/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { claimDirectory, makeDirectory } from '../../../step/generic/file.ts'
import { type NodeSettings, settleNodes } from '../../../step/generic/node-settings.ts'
import { grantServing, withoutServing } from '../../../step/generic/serving-certificates.ts'
import { noteTraces } from '../../../step/generic/traces.ts'
import { nodesKnown, nodesReady, nodesReadyForNetwork, nodesWithoutNetwork } from '../../../step/generic/workload.ts'
import { composeStep, defineCheck, defineStep, needed, satisfied, waitStep } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'

/** What the programs of a node make by themselves. */
const madeByNodes = [hostLayout.kubernetes, '/var/lib/cni', '/var/log/pods', '/var/log/containers', '/usr/libexec/kubernetes'] as const

export const noteNodeTraces = composeStep({
  name: 'node.traces',
  title: 'Note what is on the node before Kubernetes comes',
  timeout: minutes(3),
  ops: ({ cluster }) => {
    const kubelet = kubeletRoot(cluster)
    const { containerd } = cluster.spec.kubernetes.containerRuntime
    return [
      ...madeByNodes.map(claimDirectory),
      makeDirectory({ path: kubelet, mode: '0750', contents: 'ours' }),
      // Last, and so undone first: directories can go when nothing is mounted below them any more.
      noteTraces({ kubelet, runtime: containerd.state, podRanges: cluster.spec.network.kubePodsCIDR }),
    ]
  },
})

const isNode = ({ roles }: StepContext['host']): boolean => roles.includes('master') || roles.includes('worker')
const nodeNames = ({ hosts }: StepContext): readonly string[] => hosts.filter(isNode).map(({ name }) => name)

export const nodesRegistered = waitStep({
  name: 'nodes.registered',
  title: 'Wait until every node has registered',
  timeout: minutes(5),
  every: 500,
  until: nodesKnown(nodeNames),
})

/** More than this at once would make one answer too long. */
const atOnce = 200

export const settleAllNodes = composeStep({
  name: 'nodes.settings',
  title: 'Give the nodes their roles, labels, annotations and taints',
  timeout: minutes(3),
  ops: ({ hosts }) => {
    const wanted = hosts.filter(isNode).map(settingsOf)
    return Array.from({ length: Math.ceil(wanted.length / atOnce) }, (_, i) => settleNodes(wanted.slice(i * atOnce, (i + 1) * atOnce)))
  },
})

function settingsOf(host: StepContext['host']): NodeSettings {
  const taints = nodeTaints(host)
  const untainted = taints.some(({ key }) => key === controlPlaneTaint.key) ? [] : [controlPlaneTaint]
  return { name: host.name, labels: nodeLabels(host), annotations: host.annotations, taints, untainted }
}

export const allNodesReady = waitStep({
  name: 'nodes.ready',
  title: 'Wait until every node is ready',
  timeout: minutes(10),
  every: 500,
  until: nodesReady(nodeNames, ({ cluster }) => cluster.spec.kubernetes.version),
})

/** Where the network is left to the user there is none yet: what else a node needs must be there. */
export const allNodesReadyForNetwork = waitStep({
  name: 'nodes.ready-for-network',
  title: 'Wait until every node lacks nothing but a network plugin',
  timeout: minutes(10),
  every: 500,
  until: nodesReadyForNetwork(nodeNames, ({ cluster }) => cluster.spec.kubernetes.version),
})

/** Who is told that the cluster was created should not have to find out by themselves that nothing can run in it yet. */
export const networkIsLeft = defineCheck({
  name: 'nodes.network',
  title: 'See whether somebody has installed a network plugin',
  timeout: seconds(30),
  check: async (ctx) => {
    const nodes = await nodesWithoutNetwork(ctx, nodeNames(ctx))
    const ranges = ctx.cluster.spec.network.kubePodsCIDR.join(', ')
    return nodes.length === 0 ? null : finding('KX_NETWORK_LEFT', { nodes: nodes.join(', '), ranges }, 'warning')
  },
})

const nodesOf = ({ hosts }: StepContext): StepContext['hosts'] => hosts.filter(isNode)

export const grantServingCertificates = defineStep({
  name: 'nodes.serving-certificates',
  title: 'Approve the serving certificates of kubelets',
  timeout: minutes(5),
  precheck: async (ctx) => {
    const waiting = await withoutServing(ctx, nodesOf(ctx))
    return waiting.length === 0 ? satisfied : needed(...waiting.map(({ name }) => `approve the serving certificate of ${name}`))
  },
  // A little less than the step's own limit, so that the message can say what was wrong.
  run: (ctx) => grantServing(ctx, nodesOf(ctx), minutes(4.5)),
  rollback: { irreversible: 'a certificate that was issued holds until it ends; the node it is for is the one that asked' },
})
