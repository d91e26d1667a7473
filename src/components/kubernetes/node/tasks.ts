import { rotatesServingCertificates } from '../../../manifest/index.ts'
import type { Host } from '../../../runtime/index.ts'
import { defineTask } from '../../../task/index.ts'
import {
  allNodesReady,
  allNodesReadyForNetwork,
  grantServingCertificates,
  networkIsLeft,
  nodesRegistered,
  noteNodeTraces,
  settleAllNodes,
} from './steps.ts'

const isNode = ({ roles }: Host): boolean => roles.includes('master') || roles.includes('worker')

/** Comes before everything else of Kubernetes on a node, and so goes after it: ends what is left and takes its traces away. */
export const nodeTraces = defineTask({
  name: 'node-traces',
  description: 'Note what is on every node, so that what comes later can be told from it and taken away',
  plan: (t) => t.on(t.hosts().filter(isNode), noteNodeTraces),
})

/** What `hosts` says about nodes, once they are there. */
export const nodeSettings = defineTask({
  name: 'node-settings',
  description: 'Give every node its roles, labels, annotations and taints',
  plan: (t) => t.first(t.hosts('master'), nodesRegistered, settleAllNodes),
})

/** The cluster can run workloads everywhere; or could, where the user brings the network. */
export const nodesReady = defineTask({
  name: 'nodes-ready',
  description: 'Wait until every node is ready and runs the kubelet of the right version',
  plan: (t) =>
    t.cluster.spec.network.plugin === 'none'
      ? t.first(t.hosts('master'), allNodesReadyForNetwork, networkIsLeft)
      : t.first(t.hosts('master'), allNodesReady),
})

/** Where kubelets request their serving certificates from the cluster somebody has to approve them: until then logs and exec fail. */
export const servingCertificates = defineTask({
  name: 'serving-certificates',
  description: 'Approve the certificates kubelets request for themselves',
  isRequired: ({ cluster }) => rotatesServingCertificates(cluster),
  plan: (t) => t.first(t.hosts('master'), nodesRegistered, grantServingCertificates),
})
