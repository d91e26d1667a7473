import { expect } from 'vitest'
import { inUrl } from '../../src/config/index.ts'
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
  readonly status: { readonly podIP: string; readonly podIPs: readonly { readonly ip: string }[] }
}

/** A cluster in which the echo workload runs. */
export interface Scene {
  readonly lab: TestLab
  readonly nodes: readonly ExpectedNode[]
  readonly pods: readonly PodObject[]
  kubectl(command: string): Promise<string>
  /** Who answers a pod at an address; a service takes a moment to reach every node. */
  answerAt(pod: PodObject, url: string): Promise<string>
}

/** Sees a cluster work: nodes, pods on every node, traffic between hosts, services, names, logs and exec; and what a case shows besides. */
export async function proveCluster(
  lab: TestLab,
  { nodes, version, master }: ClusterExpectation,
  ...besides: readonly ((scene: Scene) => Promise<void>)[]
): Promise<void> {
  const kubectl = kubectlOn(lab, master)
  await proveNodes(kubectl, nodes, version, 'True')

  await kubectl(`apply -f - <<'END'\n${echoWorkload()}END`)
  await kubectl('rollout status daemonset/echo --timeout=180s')
  const pods = (JSON.parse(await kubectl('get pods -l app=echo -o json')) as { readonly items: readonly PodObject[] }).items
  expect(pods.map((pod) => pod.spec.nodeName).sort()).toEqual(nodes.map((node) => node.name).sort())

  const clusterIp = (await kubectl("get service echo -o jsonpath='{.spec.clusterIP}'")).trim()
  const names = nodes.map((node) => node.name)
  const answerAt: Scene['answerAt'] = (pod, url) =>
    patiently(async () => nodeIn(await kubectl(`exec ${pod.metadata.name} -- /probe get ${url}`)))
  await Promise.all(
    pods.map(async (pod) => {
      for (const other of pods) {
        const answer = await answerAt(pod, `http://${inUrl(other.status.podIP)}:8080/`)
        expect(answer, `${pod.spec.nodeName} to ${other.spec.nodeName}`).toBe(other.spec.nodeName)
      }
      expect(names).toContain(await answerAt(pod, `http://${inUrl(clusterIp)}/`))
      expect(names).toContain(await answerAt(pod, 'http://echo.default.svc.cluster.local/'))
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
  for (const prove of besides) await prove({ lab, nodes, pods, kubectl, answerAt })
  await kubectl(`delete --wait=true -f - <<'END'\n${echoWorkload()}END`)
}

/** kubectl as the administrator, on a master. */
export const kubectlOn =
  (lab: TestLab, master: string) =>
  (command: string): Promise<string> =>
    lab.onHost(master, `kubectl --kubeconfig=/etc/kubernetes/admin.conf ${command}`)

/** Sees the nodes as they are expected; without a network plugin none of them is ready. */
export async function proveNodes(
  kubectl: (command: string) => Promise<string>,
  expected: readonly ExpectedNode[],
  version: string,
  ready: 'True' | 'False',
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
  const wanted = expected.map(({ name, roles }) => ({ name, ready, version, roles: [...roles].sort() }))
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
