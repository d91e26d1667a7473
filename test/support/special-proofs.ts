import { expect } from 'vitest'
import { stringify } from 'yaml'
import { inUrl } from '../../src/config/index.ts'
import { probeImage } from '../../src/lab/echo-workload.ts'
import type { Scene } from './cluster-proof.ts'

/** What some cases have to show besides what all have. */
export type Special = 'both families' | 'own registry'

const isSix = (address: string): boolean => address.includes(':')

/** A service of the echo pods that has only an IPv6 address. */
const sixService = stringify({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'echo6', namespace: 'default' },
  spec: {
    ipFamilyPolicy: 'SingleStack',
    ipFamilies: ['IPv6'],
    selector: { app: 'echo' },
    ports: [{ port: 80, targetPort: 8080 }],
  },
})

/** Every pod has an address of each family, reaches all others by both, and a service of IPv6 by address and by name. */
async function proveBothFamilies({ lab, nodes, pods, kubectl, answerAt }: Scene): Promise<void> {
  await kubectl(`apply -f - <<'END'\n${sixService}END`)
  const service = (await kubectl("get service echo6 -o jsonpath='{.spec.clusterIP}'")).trim()
  expect(isSix(service), service).toBe(true)
  const names = nodes.map(({ name }) => name)
  await Promise.all(
    pods.map(async (pod) => {
      const addresses = pod.status.podIPs.map(({ ip }) => ip)
      expect(addresses.map(isSix)).toEqual([false, true])
      for (const other of pods) {
        const six = other.status.podIPs.find(({ ip }) => isSix(ip))?.ip ?? ''
        expect(await answerAt(pod, `http://[${six}]:8080/`), `${pod.spec.nodeName} to ${six}`).toBe(other.spec.nodeName)
      }
      expect(names).toContain(await answerAt(pod, `http://${inUrl(service)}/`))
      expect(names).toContain(await answerAt(pod, 'http://echo6.default.svc.cluster.local/'))
    }),
  )
  for (const { name } of nodes) {
    const answer = await lab.onHost(name, `curl -sS -m 5 --retry 5 --retry-all-errors 'http://[${service}]/'`)
    expect(names, `${name} to ${service}`).toContain(/node=(\S+)/.exec(answer)?.[1])
  }
  await kubectl('delete service echo6')
}

const registry = 'dockerhub.kubexm.local'

/** Every image of every node was pulled from the registry of the cluster, which lets nobody in without a password. */
async function proveOwnRegistry({ lab, nodes, kubectl }: Scene): Promise<void> {
  const holder = lab.hosts.at(-1)?.ipv4
  const { stdout } = await lab.inNetwork([
    'curl',
    '-sk',
    '-m',
    '5',
    '-o',
    '/dev/null',
    '-w',
    '%{http_code}',
    `https://${holder}/v2/_catalog`,
  ])
  expect(stdout).toBe('401')
  for (const { name } of nodes) {
    const { images } = JSON.parse(await lab.onHost(name, 'crictl images -o json')) as {
      readonly images: readonly { readonly repoTags: readonly string[] }[]
    }
    const tags = images.flatMap(({ repoTags }) => repoTags).filter((tag) => tag !== probeImage)
    expect(tags.length).toBeGreaterThan(3)
    expect(tags.filter((tag) => !tag.startsWith(`${registry}/`))).toEqual([])
    const pulled = await lab.onHost(name, `journalctl -u containerd -o cat | grep -o 'PullImage .*returns image reference' || true`)
    const missing = tags.filter((tag) => !pulled.includes(tag))
    expect(missing, `images of ${name} that were not pulled`).toEqual([])
  }
  const used = (await kubectl("get pods -n kube-system -o jsonpath='{.items[*].spec.containers[*].image}'")).trim().split(/\s+/)
  expect(used.filter((image) => !image.startsWith(`${registry}/`))).toEqual([])
}

/** The proofs by what they show. */
export const specialProofs: Readonly<Record<Special, (scene: Scene) => Promise<void>>> = {
  'both families': proveBothFamilies,
  'own registry': proveOwnRegistry,
}
