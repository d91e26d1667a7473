import { type Cluster, hostsOf } from '../../config/index.ts'
import type { ApiDoor } from './api-servers.ts'
import { orElse, whyNot } from './surroundings.ts'
import type { Listed, NodeStatus } from './types.ts'

interface KubeNode {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> }
  readonly spec?: { readonly unschedulable?: boolean }
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly message?: string }[]
    readonly addresses?: readonly { readonly type: string; readonly address: string }[]
    readonly nodeInfo?: { readonly kubeletVersion?: string; readonly containerRuntimeVersion?: string }
  }
}

export const noDoor = 'no API server answers'

// One line a node. The images it holds, which fill the rest of the object, are not wanted.
const fields = [
  '{.metadata.name}',
  '{.metadata.labels}',
  '{.spec.unschedulable}',
  '{.status.conditions}',
  '{.status.addresses}',
  '{.status.nodeInfo}',
]
const template = `{range .items[*]}${fields.join('{"\\t"}')}{"\\n"}{end}`

/** The nodes as the API knows them, and the hosts that should be nodes and are not. */
export const lookAtNodes = async (cluster: Cluster, door: ApiDoor | null): Promise<Listed<NodeStatus>> =>
  door === null
    ? { items: [], problem: noDoor }
    : orElse(
        () => askForNodes(cluster, door),
        (problem) => ({ items: [], problem }),
      )

async function askForNodes(cluster: Cluster, door: ApiDoor): Promise<Listed<NodeStatus>> {
  const answer = await door.list('get', 'nodes', `--output=jsonpath=${template}`)
  if (answer.code !== 0) return { items: [], problem: whyNot(answer) }
  const known = answer.stdout
    .split('\n')
    .filter((line) => line !== '')
    .map(parseNode)
  const seen = new Map(known.map((node) => [node.metadata.name, nodeStatus(node, cluster.spec.kubernetes.version)]))
  const expected = hostsOf(cluster).filter(({ roles }) => roles.includes('master') || roles.includes('worker'))
  const names = new Set(expected.map(({ name }) => name))
  return {
    // Those of the config in its order, then whoever else has joined.
    items: [
      ...expected.map(({ name }) => seen.get(name) ?? unregistered(name)),
      ...[...seen.values()].filter(({ name }) => !names.has(name)),
    ],
    problem: null,
  }
}

function parseNode(line: string): KubeNode {
  const [name = '', labels = '', unschedulable = '', conditions = '', addresses = '', nodeInfo = ''] = line.split('\t')
  const parsed = <T>(text: string, fallback: T): T => (text === '' ? fallback : (JSON.parse(text) as T))
  return {
    metadata: { name, labels: parsed(labels, {}) },
    spec: { unschedulable: unschedulable === 'true' },
    status: { conditions: parsed(conditions, []), addresses: parsed(addresses, []), nodeInfo: parsed(nodeInfo, {}) },
  }
}

const rolePrefix = 'node-role.kubernetes.io/'

function nodeStatus({ metadata, spec, status }: KubeNode, wantedVersion: string): NodeStatus {
  const condition = status?.conditions?.find(({ type }) => type === 'Ready')
  const ready = condition?.status === 'True'
  const version = status?.nodeInfo?.kubeletVersion ?? null
  return {
    name: metadata.name,
    ready,
    schedulable: spec?.unschedulable !== true,
    roles: Object.keys(metadata.labels ?? {})
      .filter((label) => label.startsWith(rolePrefix))
      .map((label) => label.slice(rolePrefix.length))
      .sort(),
    version,
    address: status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? null,
    runtime: status?.nodeInfo?.containerRuntimeVersion ?? null,
    problem: ready ? otherVersion(version, wantedVersion) : (condition?.message ?? 'it says nothing of itself'),
  }
}

/** A distribution's own build says so behind the version. */
function otherVersion(version: string | null, wantedVersion: string): string | null {
  if (version === null || version === wantedVersion || version.startsWith(`${wantedVersion}-`) || version.startsWith(`${wantedVersion}+`))
    return null
  return `its kubelet is ${version}, the config wants ${wantedVersion}`
}

const unregistered = (name: string): NodeStatus => ({
  name,
  ready: false,
  schedulable: false,
  roles: [],
  version: null,
  address: null,
  runtime: null,
  problem: 'it has not registered',
})
