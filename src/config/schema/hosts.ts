import * as z from 'zod'
import {
  field,
  filledText,
  hostName,
  ip,
  ipOrDomain,
  list,
  localPath,
  oneOrMore,
  optionalGroup,
  port,
  secret,
  text,
  whole,
  words,
} from '../primitives.ts'

const hostKeyForm = () =>
  text(
    /^((ssh-|ecdsa-|sk-)\S+ [A-Za-z0-9+/=]+.*|SHA256:[A-Za-z0-9+/]{43}=?)$/,
    'an SSH host key or its SHA256 fingerprint',
    'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  )

/** Logging in to a machine: the same for hosts and jump hosts. */
const login = {
  password: field(secret().optional(), 'Password to log in with.', { env: 'NODE_PASSWORD' }),
  privateKey: field(secret().optional(), 'Private key itself.', { file: '~/.ssh/id_ed25519' }),
  privateKeyPath: field(localPath().optional(), 'Private key on this machine.', '~/.ssh/id_ed25519'),
  privateKeyPassphrase: field(secret().optional(), 'Passphrase of the private key.', { env: 'KEY_PASSPHRASE' }),
}

const bastion = optionalGroup(
  {
    address: field(ipOrDomain(), 'Address of the jump host.', 'jump.example.com'),
    port: field(port().default(22), 'SSH port of the jump host.', 22),
    user: field(filledText().default('root'), 'User on the jump host.', 'ops'),
    ...login,
    hostKey: field(
      hostKeyForm().optional(),
      'Its host key or fingerprint, if it is not in known_hosts.',
      'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
    ),
  },
  'Jump host the SSH connections go through.',
)

const taint = z.strictObject({
  key: field(filledText(), 'Key of the taint.', 'dedicated'),
  value: field(z.string().default(''), 'Value of the taint.', 'gpu'),
  effect: field(z.enum(['NoSchedule', 'PreferNoSchedule', 'NoExecute']), 'What happens to pods that do not tolerate it.', 'NoSchedule'),
})

/** One machine. */
export const host = z.strictObject({
  name: field(hostName(), 'Name of the host; it becomes its host name and node name.', 'node1'),
  address: field(ipOrDomain(), 'Address SSH connects to.', '172.16.0.2'),
  internalAddress: field(
    oneOrMore(ip()).optional(),
    'Address the cluster uses, and for dual stack an IPv6 one after a comma; address by default.',
    '172.16.0.2,2022::2',
  ),
  port: field(port().optional(), 'SSH port; global.port by default.', 22),
  user: field(filledText().optional(), 'SSH user; global.user by default.', 'ubuntu'),
  ...login,
  sudoPassword: field(secret().optional(), 'Password for sudo; the login password by default.', { env: 'SUDO_PASSWORD' }),
  bastion,
  hostKey: field(
    hostKeyForm().optional(),
    'Host key or fingerprint, if it is not in known_hosts.',
    'SHA256:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU',
  ),
  arch: field(z.enum(['amd64', 'arm64']).optional(), 'Processor architecture; detected by default.', 'arm64'),
  type: field(z.enum(['ssh', 'local']).default('ssh'), 'How the host is reached; local is the machine kubexm runs on.', 'ssh'),
  timeout: field(whole(1, 3600).optional(), 'Seconds to wait for the connection; global.connectionTimeout by default.', 30),
  labels: field(words(), 'Labels of the node.', { disk: 'SSD' }),
  annotations: field(words(), 'Annotations of the node.', { 'example.com/rack': 'r12' }),
  taints: field(list(taint), 'Taints of the node.', [{ key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }]),
})

const members = (about: string, example: string[]) =>
  field(z.union([z.string().transform((one) => [one]), z.array(z.string())]).default([]), about, example)

/** Which host does what. */
export const roleGroups = {
  etcd: members('Hosts that run etcd. Empty: the masters, unless etcd is external. A range is written node[1:3].', ['node1', 'node[2:3]']),
  master: members('Hosts of the control plane.', ['node1', 'node[2:3]']),
  worker: members('Hosts that run workloads.', ['node[4:10]']),
  registry: members('The host that runs the image registry; at most one.', ['node11']),
  loadbalancer: members('Hosts that run keepalived with haproxy or nginx.', ['node12', 'node13']),
  storage: members('Hosts whose disks are used for storage.', ['node[4:6]']),
}

/** What holds for every host that does not say otherwise, and for the run. */
export const globalFields = {
  user: field(filledText().default('root'), 'SSH user.', 'ubuntu'),
  port: field(port().default(22), 'SSH port.', 22),
  ...login,
  sudoPassword: field(secret().optional(), 'Password for sudo; the login password by default.', { prompt: 'sudo password' }),
  bastion,
  useAgent: field(z.boolean().default(true), 'Offer the keys of the SSH agent.', true),
  sshConfig: field(localPath().optional(), 'ssh_config file to honour.', '~/.ssh/config'),
  knownHosts: field(localPath().default('~/.ssh/known_hosts'), 'File with known host keys.', '~/.ssh/known_hosts'),
  hostKeyPolicy: field(
    z.enum(['strict', 'accept-new', 'ignore']).default('accept-new'),
    'What to do with a host key that is not known: refuse, keep it at first use and refuse another one later, or accept anything.',
    'strict',
  ),
  connectionTimeout: field(whole(1, 3600).default(30), 'Seconds to wait for a connection.', 30),
  workDir: field(localPath().default('.kubexm'), 'Work directory on this machine.', '.kubexm'),
  hostWorkDir: field(
    text(/^\/[^\0]*$/, 'an absolute path', '/var/lib/etcd').default('/tmp/.kubexm'),
    'Work directory on the hosts.',
    '/tmp/.kubexm',
  ),
  verbose: field(z.boolean().default(false), 'Show every command and its output.', false),
  ignoreErr: field(z.boolean().default(false), 'Go on with the other hosts when one fails.', false),
  skipPreflight: field(z.boolean().default(false), 'Leave out all preflight checks.', false),
  offlineMode: field(z.boolean().default(false), 'Open no connection outside the fleet; artifacts come from a bundle.', true),
  artifactMirror: field(
    z
      .string()
      .regex(/^$|^[a-z]+:\/\/\S+$/, { error: 'a URL' })
      .default(''),
    'Base URL to fetch binaries from instead of their own sites.',
    'https://mirror.example.com/kubexm',
  ),
}
