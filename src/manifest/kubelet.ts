import { type Cluster, clusterDnsAddresses, hostLayout } from '../config/index.ts'
import { goDuration } from '../util/duration.ts'
import type { Json } from '../util/json.ts'
import { overlaid } from '../util/overlay.ts'
import type { Taint } from './node.ts'
import { traitsOf } from './traits.ts'

/** An object of a Kubernetes API, ready to be written as YAML. */
export type Manifest = { readonly apiVersion: string; readonly kind: string; readonly [key: string]: Json }

/** What a kubelet's configuration depends on at its host. */
export interface KubeletHost {
  readonly facts: { readonly cgroup: 'v1' | 'v2' | 'hybrid'; readonly init: string }
}

/** What the way of installing decides about a kubelet. */
export interface KubeletChoices {
  /** The serving certificate; without one the kubelet signs its own, or asks for one where the rotation of serving certificates is on. */
  readonly serving?: { readonly cert: string; readonly key: string }
  /** The resolv.conf pods inherit from; /etc/resolv.conf by default, which is of no use to them where it names a resolver on loopback. */
  readonly resolvConf?: string
  /** What the node is tainted with from its first moment on; kubeadm has a field of its own for it. */
  readonly taints?: readonly Taint[]
}

/** Where the kubelet finds its container runtime. */
export function runtimeEndpoint({ spec }: Cluster): string {
  const { type, containerd, docker, crio, isulad } = spec.kubernetes.containerRuntime
  return { containerd, docker, 'cri-o': crio, isulad }[type].endpoint
}

/** Who manages cgroups on a host. Kubelet and runtime must agree: both ask here. */
export function cgroupDriverFor({ spec }: Cluster, { facts }: KubeletHost): 'systemd' | 'cgroupfs' {
  const { kubelet, containerRuntime } = spec.kubernetes
  const { type, containerd, docker, crio } = containerRuntime
  const ofRuntime =
    type === 'containerd' && containerd.useSystemdCgroup !== undefined
      ? driver(containerd.useSystemdCgroup)
      : type === 'docker'
        ? docker.cgroupDriver
        : type === 'cri-o'
          ? crio.cgroupManager
          : undefined
  return kubelet.cgroupDriver ?? ofRuntime ?? driver(facts.init === 'systemd')
}

const driver = (systemd: boolean): 'systemd' | 'cgroupfs' => (systemd ? 'systemd' : 'cgroupfs')

/** Whether kubelets ask the cluster for their serving certificates. */
export const rotatesServingCertificates = ({ spec: { kubernetes } }: Cluster): boolean =>
  kubernetes.kubelet.featureGates.RotateKubeletServerCertificate ?? kubernetes.featureGates.RotateKubeletServerCertificate ?? false

/** Where a kubelet keeps everything: `--root-dir` moves it. */
export const kubeletRoot = ({ spec }: Cluster): string => spec.kubernetes.kubelet.extraArgs['root-dir'] ?? hostLayout.kubelet

/** The configuration of the kubelet on a host, with what the user says about it laid over. */
export function kubeletConfiguration(
  cluster: Cluster,
  host: KubeletHost,
  { serving, resolvConf, taints = [] }: KubeletChoices = {},
): Manifest {
  const { kubernetes, preflight } = cluster.spec
  const { kubelet } = kubernetes
  const asksForServing = rotatesServingCertificates(cluster)
  const base: Manifest = {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: `${hostLayout.kubernetesPki}/ca.crt` },
    },
    authorization: { mode: 'Webhook' },
    cgroupDriver: cgroupDriverFor(cluster, host),
    clusterDNS: clusterDnsAddresses(cluster.spec),
    clusterDomain: kubernetes.dnsDomain,
    containerLogMaxFiles: kubelet.containerLogMaxFiles,
    containerLogMaxSize: kubelet.containerLogMaxSize,
    containerRuntimeEndpoint: runtimeEndpoint(cluster),
    ...(kubelet.cpuManagerPolicy === 'none' ? {} : { cpuManagerPolicy: kubelet.cpuManagerPolicy }),
    ...filled('evictionHard', kubelet.evictionHard),
    evictionMaxPodGracePeriod: kubelet.evictionMaxPodGracePeriod,
    evictionPressureTransitionPeriod: goDuration(kubelet.evictionPressureTransitionPeriod),
    ...filled('evictionSoft', kubelet.evictionSoft),
    ...filled('evictionSoftGracePeriod', mapped(kubelet.evictionSoftGracePeriod, goDuration)),
    ...(host.facts.cgroup !== 'v2' && traitsOf(kubernetes.version).kubeletRefusesCgroupV1 ? { failCgroupV1: false } : {}),
    failSwapOn: preflight.disableSwap,
    ...filled('featureGates', { ...kubernetes.featureGates, ...kubelet.featureGates }),
    hairpinMode: kubelet.hairpinMode,
    ...filled('kubeReserved', kubelet.kubeReserved),
    maxPods: kubernetes.maxPods,
    podPidsLimit: kubernetes.podPidsLimit,
    ...(taints.length === 0 ? {} : { registerWithTaints: taints }),
    ...(resolvConf === undefined ? {} : { resolvConf }),
    rotateCertificates: true,
    ...(asksForServing ? { serverTLSBootstrap: true } : {}),
    staticPodPath: hostLayout.staticPods,
    ...filled('systemReserved', kubelet.systemReserved),
    ...(serving === undefined || asksForServing ? {} : { tlsCertFile: serving.cert, tlsPrivateKeyFile: serving.key }),
  }
  return overlaid(base, kubelet.configuration)
}

/** A field where there is something in it: an empty map would switch defaults off. */
const filled = (name: string, values: Readonly<Record<string, string | boolean>>): Readonly<Record<string, Json>> =>
  Object.keys(values).length === 0 ? {} : { [name]: values }

const mapped = (values: Readonly<Record<string, string>>, change: (value: string) => string): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value)]))
