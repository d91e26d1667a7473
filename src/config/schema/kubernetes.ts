import * as z from 'zod'
import { kubeadmConfig } from '../../components/kubernetes/kubeadm/config.ts'
import { containerdConfig } from '../../components/runtime/containerd/config.ts'
import { crioConfig } from '../../components/runtime/cri-o/config.ts'
import { dockerConfig } from '../../components/runtime/docker/config.ts'
import { isuladConfig } from '../../components/runtime/isulad/config.ts'
import { kubernetesVersions } from '../catalogue/versions.ts'
import { domain, field, group, ipOrDomain, list, switches, text, version, whole } from '../primitives.ts'
import { apiServer, controllerManager, kubelet, kubeProxy, scheduler } from './kubernetes-components.ts'

const switchedOff = (what: string) => group({ enabled: field(z.boolean().default(false), `Install ${what}.`, true) }, `${what}.`)

/** The container runtime of every node. */
export const containerRuntime = {
  type: field(z.enum(['containerd', 'docker', 'cri-o', 'isulad']).default('containerd'), 'Container runtime.', 'containerd'),
  version: field(version().optional(), 'Version of the runtime; by default one that fits the Kubernetes version.', '1.7.6'),
  containerd: group(containerdConfig, 'Settings of containerd.'),
  docker: group(dockerConfig, 'Settings of Docker and cri-dockerd.'),
  crio: group(crioConfig, 'Settings of CRI-O.'),
  isulad: group(isuladConfig, 'Settings of iSulad.'),
}

/** Kubernetes itself. */
export const kubernetes = {
  type: field(
    z.enum(['kubexm', 'kubeadm']).default('kubeadm'),
    'How the control plane is installed: by kubeadm, or kubexm, as binaries under systemd.',
    'kubexm',
  ),
  version: field(
    text(/^v?\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/, 'a Kubernetes version', 'v1.32.4').default(kubernetesVersions.default),
    'Version of Kubernetes.',
    'v1.32.4',
  ),
  clusterName: field(
    domain().default('cluster.local'),
    'Name of the cluster, and its DNS domain unless dnsDomain says otherwise.',
    'cluster.local',
  ),
  dnsDomain: field(domain().optional(), 'DNS domain of services; clusterName by default.', 'cluster.local'),
  apiserverCertExtraSans: field(list(ipOrDomain()), 'Further names and addresses in the certificate of the API server.', [
    '192.168.8.8',
    'lb.kubespheredev.local',
  ]),
  containerRuntime: group(containerRuntime, 'Container runtime.'),
  autoRenewCerts: field(z.boolean().default(false), 'Renew the certificates of the control plane by a timer on the masters.', true),
  masqueradeAll: field(z.boolean().default(false), 'Let kube-proxy masquerade all service traffic.', false),
  maxPods: field(whole(1, 2000).default(110), 'Most pods on a node.', 110),
  podPidsLimit: field(whole(-1).default(10_000), 'Most processes in a pod; -1 for no limit.', 10_000),
  nodeCidrMaskSize: field(whole(8, 30).default(24), 'Prefix of the IPv4 pod block of each node.', 24),
  nodeCidrMaskSizeIPv6: field(
    whole(16, 128).optional(),
    'Prefix of the IPv6 pod block of each node; by default it follows the pod range.',
    120,
  ),
  proxyMode: field(
    z.enum(['ipvs', 'iptables', 'nftables', 'none']).default('ipvs'),
    'How kube-proxy serves services; none installs no kube-proxy.',
    'ipvs',
  ),
  featureGates: field(switches(), 'Feature gates of all components; those the version does not know are dropped with a warning.', {
    RotateKubeletServerCertificate: true,
  }),
  kubeadm: group(kubeadmConfig, 'Settings of kubeadm, where it makes the control plane.'),
  kata: switchedOff('Kata Containers'),
  nodeFeatureDiscovery: switchedOff('Node Feature Discovery'),
  nvidiaRuntime: switchedOff('the NVIDIA container runtime'),
  apiServer: group(apiServer, 'The API server.'),
  controllerManager: group(controllerManager, 'The controller manager.'),
  scheduler: group(scheduler, 'The scheduler.'),
  kubelet: group(kubelet, 'The kubelet of every node.'),
  kubeProxy: group(kubeProxy, 'kube-proxy on every node.'),
}
