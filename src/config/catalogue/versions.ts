import components from '../../../data/catalogue/components.json' with { type: 'json' }
import kubernetes from '../../../data/catalogue/kubernetes.json' with { type: 'json' }

/** Versions kubexm knows: what it takes when the config names none, and what goes together. */
export const kubernetesVersions = { oldest: 'v1.25.0', newest: 'v1.37.1', default: 'v1.34.4' } as const

/** The middle number of a version: 32 of `v1.32.4`. */
export const minorOf = (version: string): number => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? Number.NaN)

/** The etcd a Kubernetes version was released with: the oldest that its kubeadm accepts. */
export function etcdFor(version: string): string {
  const row = kubernetes.images.findLast(({ since }) => compareVersions(since, version) <= 0) ?? kubernetes.images[0]
  return `v${row?.etcd.replace(/-\d+$/, '')}`
}

/** The version of flannel whose images the catalogue has for every way of getting them. */
export const flannelVersion: string = components.flannel.default

/** The version of a container runtime that is installed with a Kubernetes version. */
export function runtimeFor(type: 'containerd' | 'docker' | 'cri-o' | 'isulad', kubernetes: string): string {
  if (type === 'containerd') return minorOf(kubernetes) >= 31 ? '2.1.4' : '1.7.28'
  if (type === 'docker') return '28.5.1'
  if (type === 'isulad') return '2.1.5'
  return `1.${Math.min(minorOf(kubernetes), minorOf(kubernetesVersions.newest))}.0`
}

/** Negative when `a` is older than `b`. Suffixes such as -rc.1 are not compared. */
export function compareVersions(a: string, b: string): number {
  const [x, y] = [numbers(a), numbers(b)]
  for (let i = 0; i < 3; i++) if ((x[i] ?? 0) !== (y[i] ?? 0)) return (x[i] ?? 0) - (y[i] ?? 0)
  return 0
}

const numbers = (version: string): readonly number[] => version.replace(/^v/, '').split(/[.+-]/).slice(0, 3).map(Number)
