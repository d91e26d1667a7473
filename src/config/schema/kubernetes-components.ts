import * as z from 'zod'
import {
  absolutePath,
  duration,
  extraArgs,
  field,
  filledText,
  group,
  ip,
  list,
  overlay,
  quantity,
  secret,
  switches,
  text,
  whole,
} from '../primitives.ts'

const argumentsField = (component: string, example: Record<string, string>) =>
  field(extraArgs(), `Further arguments of ${component}, merged last: a map, or a list of --name=value.`, example)
const gatesField = (component: string) => field(switches(), `Feature gates of ${component} alone.`, { InPlacePodVerticalScaling: true })
const quantities = (about: string, example: Record<string, string>) => field(z.record(z.string(), quantity()).default({}), about, example)

/** The API server. */
export const apiServer = {
  serviceNodePortRange: field(
    text(/^\d+-\d+$/, 'a range of ports', '30000-32767').default('30000-32767'),
    'Ports for NodePort services.',
    '30000-32767',
  ),
  audit: group(
    {
      enabled: field(z.boolean().default(false), 'Write an audit log.', true),
      policyFile: field(
        absolutePath().default('/etc/kubernetes/audit/policy.yaml'),
        'Where the policy lies on the masters.',
        '/etc/kubernetes/audit/policy.yaml',
      ),
      policyFileContent: field(
        z.string().default(''),
        'The policy itself; by default one that logs metadata.',
        'apiVersion: audit.k8s.io/v1\nkind: Policy\nrules:\n- level: Metadata\n',
      ),
      logPath: field(absolutePath().default('/var/log/kubernetes/audit.log'), 'Where the log is written.', '/var/log/kubernetes/audit.log'),
      maxAge: field(whole(0).default(30), 'Days to keep old logs.', 30),
      maxBackups: field(whole(0).default(10), 'Old logs to keep.', 10),
      maxSize: field(whole(1).default(100), 'Megabytes at which a log is rotated.', 100),
    },
    'Audit log.',
  ),
  encryption: group(
    {
      enabled: field(z.boolean().default(false), 'Encrypt resources in etcd.', true),
      provider: field(z.enum(['secretbox', 'aescbc', 'aesgcm']).default('secretbox'), 'Cipher.', 'secretbox'),
      resources: field(z.array(filledText()).min(1).default(['secrets']), 'Resources to encrypt.', ['secrets', 'configmaps']),
      encryptionKey: field(secret().optional(), 'Base64 key of 32 bytes; by default one is made and kept with the PKI.', {
        file: './encryption.key',
      }),
    },
    'Encryption at rest.',
  ),
  authorizationModes: field(z.array(filledText()).min(1).default(['Node', 'RBAC']), 'Who decides what is allowed, in order.', [
    'Node',
    'RBAC',
  ]),
  admissionPlugins: field(list(filledText()), 'Admission plugins switched on beside the default ones.', ['NodeRestriction']),
  bindAddress: field(ip().default('0.0.0.0'), 'Address to listen on.', '0.0.0.0'),
  allowPrivileged: field(z.boolean().default(true), 'Allow privileged containers; network plugins need them.', true),
  etcdPrefix: field(
    text(/^\/\S*$/, 'a prefix that starts with /', '/registry').default('/registry'),
    'Prefix of all keys in etcd.',
    '/registry',
  ),
  tlsCipherSuites: field(list(filledText()), 'TLS cipher suites; those of Go by default.', ['TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256']),
  featureGates: gatesField('the API server'),
  extraArgs: argumentsField('the API server', { 'event-ttl': '2h' }),
}

/** The controller manager. */
export const controllerManager = {
  podEvictionTimeout: field(duration().default('5m'), 'How long pods stay on a node that is gone.', '5m'),
  nodeMonitorGracePeriod: field(duration().default('40s'), 'How long a node may be silent before it is not ready.', '40s'),
  featureGates: gatesField('the controller manager'),
  extraArgs: argumentsField('the controller manager', { 'concurrent-deployment-syncs': '10' }),
}

/** The scheduler. */
export const scheduler = {
  featureGates: gatesField('the scheduler'),
  extraArgs: argumentsField('the scheduler', { v: '4' }),
}

/** The kubelet. */
export const kubelet = {
  cgroupDriver: field(z.enum(['systemd', 'cgroupfs']).optional(), 'Cgroup driver; by default decided by the facts of the host.', 'systemd'),
  cpuManagerPolicy: field(z.enum(['none', 'static']).default('none'), 'Whether pods can get whole cores.', 'static'),
  evictionHard: quantities('When pods are evicted at once.', { 'memory.available': '5%', 'nodefs.available': '10%' }),
  evictionSoft: quantities('When pods are evicted after a grace period.', { 'memory.available': '10%' }),
  evictionSoftGracePeriod: field(z.record(z.string(), duration()).default({}), 'The grace periods of evictionSoft.', {
    'memory.available': '2m',
  }),
  evictionMaxPodGracePeriod: field(whole(0).default(120), 'Most seconds a pod gets to end when it is evicted softly.', 120),
  evictionPressureTransitionPeriod: field(
    duration().default('30s'),
    'How long a node stays under pressure after the cause is gone.',
    '30s',
  ),
  kubeReserved: quantities('Resources kept for Kubernetes.', { cpu: '200m', memory: '250Mi' }),
  systemReserved: quantities('Resources kept for the system.', { cpu: '200m', memory: '250Mi' }),
  hairpinMode: field(
    z.enum(['promiscuous-bridge', 'hairpin-veth', 'none']).default('hairpin-veth'),
    'How a pod reaches itself through its service.',
    'hairpin-veth',
  ),
  containerLogMaxSize: field(quantity().default('50Mi'), 'Size at which a container log is rotated.', '50Mi'),
  containerLogMaxFiles: field(whole(2, 100).default(5), 'Log files to keep for each container.', 5),
  featureGates: gatesField('the kubelet'),
  extraArgs: argumentsField('the kubelet', { 'root-dir': '/var/lib/kubelet' }),
  configuration: field(overlay(), 'Merged last into KubeletConfiguration.', { imageGCHighThresholdPercent: 80 }),
}

/** kube-proxy. */
export const kubeProxy = {
  enable: field(z.boolean().default(true), 'Install kube-proxy; proxyMode none does the same as false.', true),
  featureGates: gatesField('kube-proxy'),
  extraArgs: argumentsField('kube-proxy', { v: '2' }),
  configuration: field(overlay(), 'Merged last into KubeProxyConfiguration.', { ipvs: { excludeCIDRs: ['172.16.0.2/24'] } }),
}
