import { compareVersions, kubernetesVersions, minorOf } from '../catalogue/versions.ts'
import type { Cluster } from '../cluster.ts'
import type { Rule } from '../context.ts'

const versionPath = ['spec', 'kubernetes', 'version']

const supportedKubernetes: Rule<Cluster> = ({ spec: { kubernetes } }, context) => {
  const { oldest, newest } = kubernetesVersions
  const { version } = kubernetes
  if (compareVersions(version, oldest) < 0) context.error('KX_CONFIG_VERSION', { seen: version, oldest }, versionPath, version)
  else if (minorOf(version) > minorOf(newest)) context.warn('KX_CONFIG_VERSION_UNTESTED', { seen: version, newest }, versionPath, version)
}

const runtimeFits: Rule<Cluster> = ({ spec: { kubernetes } }, context) => {
  const { type: runtime, version: seen } = kubernetes.containerRuntime
  const path = ['spec', 'kubernetes', 'containerRuntime', 'version']
  if (context.isWrong(versionPath) || context.isWrong(['spec', 'kubernetes', 'containerRuntime'])) return
  const minor = minorOf(kubernetes.version)
  const refuse = (needed: string) =>
    context.error('KX_CONFIG_RUNTIME_VERSION', { runtime, seen, version: kubernetes.version, needed }, path, seen)
  // Since 1.26 the kubelet speaks only CRI v1; 1.36 dropped what containerd 1.x needs.
  if (runtime === 'containerd' && minor >= 36 && compareVersions(seen, '2.0.0') < 0) refuse('2.0.0 or later')
  else if (runtime === 'containerd' && minor >= 26 && compareVersions(seen, '1.6.0') < 0) refuse('1.6.0 or later')
  else if (runtime === 'docker' && compareVersions(seen, '20.10.0') < 0) refuse('20.10.0 or later')
  else if (runtime === 'cri-o' && minorOf(seen) !== minor) {
    context.warn('KX_CONFIG_RUNTIME_SKEW', { runtime, seen, version: kubernetes.version, needed: `1.${minor}` }, path, seen)
  }
}

const oneRuntimeVersion: Rule<Cluster> = ({ spec: { kubernetes } }, context) => {
  const { containerRuntime } = kubernetes
  const name = containerRuntime.type === 'cri-o' ? 'crio' : containerRuntime.type
  const inner = containerRuntime[name].version?.replace(/^v/, '')
  if (inner === undefined || inner === containerRuntime.version) return
  const path = ['spec', 'kubernetes', 'containerRuntime', name, 'version']
  context.error(
    'KX_CONFIG_CONFLICT',
    { spelling: `containerRuntime.${name}.version`, canonical: 'containerRuntime.version', seen: inner, other: containerRuntime.version },
    path,
    inner,
  )
}

const proxyModeFits: Rule<Cluster> = ({ spec: { kubernetes } }, context) => {
  if (kubernetes.proxyMode !== 'nftables' || minorOf(kubernetes.version) >= 31 || context.isWrong(versionPath)) return
  context.error(
    'KX_CONFIG_CNI',
    {
      what: `kube-proxy ${kubernetes.version} has no nftables mode that is on by default`,
      how: 'write proxyMode: ipvs, or Kubernetes v1.31 or later',
    },
    ['spec', 'kubernetes', 'proxyMode'],
    'nftables',
  )
}

/** Rules about versions that go together. */
export const versionRules: readonly Rule<Cluster>[] = [supportedKubernetes, runtimeFits, oneRuntimeVersion, proxyModeFits]
