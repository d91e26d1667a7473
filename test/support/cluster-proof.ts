import { expect } from 'vitest'
import { echoNodePort, echoWorkload } from '../../src/lab/index.ts'
import { eventually } from '../../src/util/eventually.ts'
import { minutes, seconds } from '../../src/util/time.ts'
import type { TestLab } from './with-lab.ts'

/** A host as a node of the cluster, as it should be. */
export interface ExpectedNode {
  readonly name: string
  readonly roles: readonly ('control-plane' | 'worker')[]
}

interface ClusterExpectation {
  readonly nodes: readonly ExpectedNode[]
  readonly version: string
  /** A master to run kubectl on. */
  readonly master: string
}

interface NodeObject {
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly status: {
    readonly nodeInfo: { readonly kubeletVersion: string }
    readonly conditions: readonly { readonly type: string; readonly status: string }[]
  }
}

interface PodObject {
  readonly metadata: { readonly name: string }
  readonly spec: { readonly nodeName: string }
  readonly status: { readonly podIP: string }
}

/** Sees a cluster work: nodes, pods on every node, traffic between hosts, services, names, logs and exec. */
export async function proveCluster(lab: TestLab, { nodes, version, master }: ClusterExpectation): Promise<void> {
  const kubectl = (command: string): Promise<string> => lab.onHost(master, `kubectl --kubeconfig=/etc/kubernetes/admin.conf ${command}`)
  await proveNodes(kubectl, nodes, version)

  await lab.onHost(master, `kubectl --kubeconfig=/etc/kubernetes/admin.conf apply -f - <<'END'\n${echoWorkload()}END`)
  await kubectl('rollout status daemonset/echo --timeout=180s')
  const pods = (JSON.parse(await kubectl('get pods -l app=echo -o json')) as { readonly items: readonly PodObject[] }).items
  expect(pods.map((pod) => pod.spec.nodeName).sort()).toEqual(nodes.map((node) => node.name).sort())

  const clusterIp = (await kubectl("get service echo -o jsonpath='{.spec.clusterIP}'")).trim()
  const names = nodes.map((node) => node.name)
  await Promise.all(
    pods.map(async (pod) => {
      const get = async (host: string): Promise<string> => nodeIn(await kubectl(`exec ${pod.metadata.name} -- /probe get http://${host}/`))
      for (const other of pods) {
        const answer = await patiently(() => get(`${urlHost(other.status.podIP)}:8080`))
        expect(answer, `${pod.spec.nodeName} to ${other.spec.nodeName}`).toBe(other.spec.nodeName)
      }
      expect(names).toContain(await patiently(() => get(urlHost(clusterIp))))
      expect(names).toContain(await patiently(() => get('echo.default.svc.cluster.local')))
      expect(await kubectl(`logs ${pod.metadata.name}`)).toContain(`serving on ${pod.spec.nodeName}`)
    }),
  )
  for (const { name } of nodes) {
    const address = lab.hosts.find((host) => host.name === name)?.ipv4
    const answer = await patiently(async () => {
      const { code, stdout, stderr } = await lab.inNetwork(['curl', '-sS', '-m', '5', `http://${address}:${echoNodePort}/`])
      if (code !== 0) throw new Error(stderr)
      return stdout
    })
    expect(names, `NodePort of ${name}`).toContain(nodeIn(answer))
  }
  await lab.onHost(master, `kubectl --kubeconfig=/etc/kubernetes/admin.conf delete --wait=true -f - <<'END'\n${echoWorkload()}END`)
}

async function proveNodes(
  kubectl: (command: string) => Promise<string>,
  expected: readonly ExpectedNode[],
  version: string,
): Promise<void> {
  const { items } = JSON.parse(await kubectl('get nodes -o json')) as { readonly items: readonly NodeObject[] }
  const seen = items.map(({ metadata, status }) => ({
    name: metadata.name,
    ready: status.conditions.find((condition) => condition.type === 'Ready')?.status,
    version: status.nodeInfo.kubeletVersion,
    roles: Object.keys(metadata.labels)
      .filter((label) => label.startsWith('node-role.kubernetes.io/'))
      .map((label) => label.slice('node-role.kubernetes.io/'.length))
      .sort(),
  }))
  const wanted = expected.map(({ name, roles }) => ({ name, ready: 'True', version, roles: [...roles].sort() }))
  expect(seen.sort((a, b) => (a.name < b.name ? -1 : 1))).toEqual(wanted.sort((a, b) => (a.name < b.name ? -1 : 1)))
}

/** A service takes a moment to reach every node: its first refusals are not the answer. */
async function patiently<T>(ask: () => Promise<T>): Promise<T> {
  let last: unknown = null
  const answer = await eventually(
    async () => {
      try {
        return { value: await ask() }
      } catch (error) {
        last = error
        return null
      }
    },
    { every: seconds(1), within: minutes(1) },
  )
  if (answer === null) throw last
  return answer.value
}

/** Who answered. */
const nodeIn = (answer: string): string => /node=(\S+)/.exec(answer)?.[1] ?? answer

const urlHost = (address: string): string => (address.includes(':') ? `[${address}]` : address)
