import { minorOf } from '../config/catalogue/versions.ts'

/** What the minor versions of kubeadm do differently, as far as what they are told depends on it. */
export interface KubeadmTraits {
  /** The version of its own API that it reads without complaint. */
  readonly api: 'kubeadm.k8s.io/v1beta3' | 'kubeadm.k8s.io/v1beta4'
  /** How arguments of components are given: by name, or one after the other. */
  readonly extraArgs: 'map' | 'list'
  /** Whether its configuration says what keys it makes and how long its certificates live; before that a gate chooses between two kinds. */
  readonly choosesKeys: boolean
  /** Whether its configuration can leave an addon out, so that an upgrade leaves it out too. */
  readonly leavesOutAddons: boolean
  /** The phases of a join in which the kubelet gets its credentials: it refuses them for a node that is ready. */
  readonly bootstrapPhases: readonly string[]
  /** The phases of a master's join that wait for its own API server, with what comes after them; none where it asks another until the end. */
  readonly waitingPhases: readonly string[]
  /** Whether its SystemVerification check refuses cgroup v1, which the kubelet itself can be told to accept. */
  readonly refusesCgroupV1: boolean
}

/** Each row holds from its minor version on; what it does not name stays as it was. */
const table: readonly { readonly since: number; readonly traits: Partial<KubeadmTraits> }[] = [
  {
    since: 0,
    traits: {
      api: 'kubeadm.k8s.io/v1beta3',
      extraArgs: 'map',
      choosesKeys: false,
      leavesOutAddons: false,
      bootstrapPhases: ['kubelet-start'],
      waitingPhases: [],
      refusesCgroupV1: false,
    },
  },
  {
    // v1beta4 is an experiment in 1.30, v1beta3 is gone in 1.37.
    since: 31,
    traits: {
      api: 'kubeadm.k8s.io/v1beta4',
      extraArgs: 'list',
      choosesKeys: true,
      leavesOutAddons: true,
      bootstrapPhases: ['kubelet-start', 'kubelet-wait-bootstrap'],
    },
  },
  { since: 33, traits: { waitingPhases: ['kubelet-wait-bootstrap', 'control-plane-join', 'wait-control-plane'] } },
  { since: 35, traits: { refusesCgroupV1: true } },
]

/** What holds for the kubeadm of a version of Kubernetes. */
export function kubeadmTraits(version: string): KubeadmTraits {
  const minor = minorOf(version)
  return Object.assign({}, ...table.filter(({ since }) => since <= minor).map(({ traits }) => traits)) as KubeadmTraits
}
