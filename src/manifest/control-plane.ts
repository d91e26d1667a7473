import { type Cluster, type ClusterSpec, hostLayout } from '../config/index.ts'
import { goDuration, parseDuration } from '../util/duration.ts'
import type { Arguments } from '../util/systemd.ts'

/** How the API server is to encrypt what it writes; it lies with the keys, where kubeadm's API server sees it as well. */
export const encryptionConfigPath = `${hostLayout.kubernetesPki}/encryption.yaml`

/** The pods a master runs on loopback only: nobody but the host itself has to ask them. */
const onLoopback: Arguments = { 'bind-address': '127.0.0.1' }

/** What nobody needs in production, and what tells an attacker much. */
const quiet: Arguments = { profiling: 'false' }

/** Feature gates as an argument, those of a component over those of all; nothing where there are none. */
function gatesArgument(...gates: readonly Readonly<Record<string, boolean>>[]): Arguments {
  const merged = Object.entries(Object.assign({}, ...gates) as Record<string, boolean>)
  return merged.length === 0 ? {} : { 'feature-gates': merged.map(([gate, on]) => `${gate}=${on}`).join(',') }
}

/** What the config decides about the API server, whichever way it is installed; the user's own arguments win. */
export function apiServerArguments({ spec: { kubernetes, roleGroups } }: Cluster): Arguments {
  const { apiServer, controllerManager } = kubernetes
  const { audit } = apiServer
  return {
    ...quiet,
    'allow-privileged': String(apiServer.allowPrivileged),
    'authorization-mode': apiServer.authorizationModes.join(','),
    'bind-address': apiServer.bindAddress,
    'enable-admission-plugins': [...new Set(['NodeRestriction', ...apiServer.admissionPlugins])].join(','),
    // Clients stay with the server they once got: asked to leave now and then, they find their way back to one that was away.
    ...(roleGroups.master.length > 1 ? { 'goaway-chance': '0.001' } : {}),
    ...(apiServer.etcdPrefix === '/registry' ? {} : { 'etcd-prefix': apiServer.etcdPrefix }),
    ...tolerations(controllerManager.podEvictionTimeout),
    'service-node-port-range': apiServer.serviceNodePortRange,
    ...(apiServer.tlsCipherSuites.length === 0 ? {} : { 'tls-cipher-suites': apiServer.tlsCipherSuites.join(',') }),
    ...(audit.enabled
      ? {
          'audit-log-maxage': String(audit.maxAge),
          'audit-log-maxbackup': String(audit.maxBackups),
          'audit-log-maxsize': String(audit.maxSize),
          'audit-log-path': audit.logPath,
          'audit-policy-file': audit.policyFile,
        }
      : {}),
    ...(apiServer.encryption.enabled ? { 'encryption-provider-config': encryptionConfigPath } : {}),
    ...gatesArgument(kubernetes.featureGates, apiServer.featureGates),
    ...apiServer.extraArgs,
  }
}

/** How long pods stay on a node that is gone is said by a toleration the API server gives to each, 300 s unless told otherwise. */
function tolerations(timeout: string): Arguments {
  const seconds = String(Math.round((parseDuration(timeout) ?? 300_000) / 1000))
  return seconds === '300' ? {} : { 'default-not-ready-toleration-seconds': seconds, 'default-unreachable-toleration-seconds': seconds }
}

/** What the config decides about the controller manager. */
export function controllerManagerArguments({ spec }: Cluster): Arguments {
  const { controllerManager, featureGates } = spec.kubernetes
  return {
    ...quiet,
    ...onLoopback,
    ...maskSizes(spec),
    'node-monitor-grace-period': goDuration(controllerManager.nodeMonitorGracePeriod),
    ...gatesArgument(featureGates, controllerManager.featureGates),
    ...controllerManager.extraArgs,
  }
}

/** The pod block of each node; with two ranges each has an argument of its own. */
function maskSizes({ kubernetes: { nodeCidrMaskSize, nodeCidrMaskSizeIPv6 }, network: { kubePodsCIDR } }: ClusterSpec): Arguments {
  const [four, six] = [kubePodsCIDR.some((range) => !range.includes(':')), kubePodsCIDR.some((range) => range.includes(':'))]
  if (four && six) return { 'node-cidr-mask-size-ipv4': String(nodeCidrMaskSize), 'node-cidr-mask-size-ipv6': String(nodeCidrMaskSizeIPv6) }
  return { 'node-cidr-mask-size': String(six ? nodeCidrMaskSizeIPv6 : nodeCidrMaskSize) }
}

/** What the config decides about the scheduler. */
export function schedulerArguments({ spec: { kubernetes } }: Cluster): Arguments {
  const { scheduler, featureGates } = kubernetes
  return { ...quiet, ...onLoopback, ...gatesArgument(featureGates, scheduler.featureGates), ...scheduler.extraArgs }
}
