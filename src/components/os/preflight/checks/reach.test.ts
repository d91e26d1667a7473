import { describe, expect, it } from 'vitest'
import { listener, preflightOf, tryRows } from '../../../../../test/support/preflight.ts'
import { osProfiles } from '../../../../simulation/index.ts'

const kubeVip = (vip: string) => `controlPlaneEndpoint: {internalLoadbalancer: kube-vip, lb_address: ${vip}}`
const balancer = 'controlPlaneEndpoint: {externalLoadBalancer: external, lb_address: 192.0.2.90, port: 8443}'
const answers = (...lines: readonly string[]) => ({ says: { 'kubexm-connect': `${lines.join('\n')}\n` } })
const external = 'registry: {type: external, privateRegistry: "hub.example.com:5000"}'

describe('ways to others', () => {
  tryRows([
    {
      code: 'KX_PORT_UNREACHABLE',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: {
        spec: 'preflight: {disableFirewalld: false}\nnetwork: {plugin: flannel}',
        node1: answers('192.0.2.2/10250 timeout', '192.0.2.3/10250 timeout'),
        node2: answers('192.0.2.1/6443 unreachable'),
      },
      says: 'cannot reach node2 (192.0.2.2), node3 (192.0.2.3) on port 10250 (kubelet): no answer within 2 s',
      quiet: { node1: { os: osProfiles['rocky-9'] } },
    },
    {
      code: 'KX_VIP_TAKEN',
      severity: 'error',
      on: ['node1'],
      fires: { spec: kubeVip('192.0.2.80'), node1: { ...answers('192.0.2.80/6443 refused'), otherAddresses: [] } },
      says: '192.0.2.80 is in use already: something answers on port 6443',
      quiet: { spec: kubeVip('192.0.2.80') },
    },
    {
      code: 'KX_VIP_TAKEN',
      severity: 'error',
      on: ['node1'],
      fires: { spec: kubeVip('192.0.2.80'), node1: { says: { ip: '192.0.2.80 dev eth0 lladdr 02:aa:00:00:00:01 REACHABLE\n' } } },
      says: '02:aa:00:00:00:01 answers for it',
      quiet: { spec: kubeVip('192.0.2.80'), node1: { says: { ip: '192.0.2.80 dev eth0 FAILED\n' } } },
    },
    {
      code: 'KX_VIP_TAKEN',
      severity: 'error',
      on: ['node1'],
      fires: { spec: kubeVip('192.0.2.80'), node3: { otherAddresses: ['192.0.2.80'] } },
      says: 'node3 has it',
      quiet: {
        spec: kubeVip('192.0.2.80'),
        node1: {
          otherAddresses: ['192.0.2.80'],
          files: { '/var/lib/kubexm/ledger.jsonl': '{"key":"k","kind":"file","id":"/etc/kubernetes/manifests/kube-vip.yaml"}\n' },
        },
      },
    },
    {
      code: 'KX_VIP_NETWORK',
      severity: 'error',
      on: ['node1'],
      fires: { spec: kubeVip('192.0.3.80') },
      says: '192.0.3.80 is in no network of this host (192.0.2.1/24)',
      quiet: { spec: kubeVip('192.0.2.80') },
    },
    {
      code: 'KX_ENDPOINT_UNKNOWN',
      severity: 'error',
      on: ['node2'],
      fires: {
        spec: 'controlPlaneEndpoint: {externalDNS: true, domain: api.example.com}',
        node1: answers('api.example.com/6443 refused'),
        node2: answers('api.example.com/6443 unresolved'),
        node3: answers('api.example.com/6443 timeout'),
      },
      says: 'the name api.example.com is not known here',
      quiet: {
        spec: 'controlPlaneEndpoint: {externalDNS: true, domain: api.example.com}\nextra: {hosts: [{domain: api.example.com, address: 192.0.2.1}]}',
        node2: answers('192.0.2.1/6443 refused'),
      },
    },
    {
      code: 'KX_LB_UNREACHABLE',
      severity: 'warning',
      on: ['node1', 'node2', 'node3'],
      fires: { spec: balancer },
      says: '192.0.2.90:8443 is out of reach: no answer within 2 s',
      quiet: {
        spec: balancer,
        node1: answers('192.0.2.90/8443 open'),
        node2: answers('192.0.2.90/8443 refused'),
        node3: answers('192.0.2.90/8443 open'),
      },
    },
    {
      code: 'KX_REGISTRY_UNREACHABLE',
      severity: 'error',
      on: ['node2'],
      fires: { spec: external, node2: { internet: false } },
      says: 'the registry hub.example.com:5000 is out of reach: its name is not known',
      quiet: {
        spec: `${external}\nextra: {hosts: [{domain: hub.example.com, address: 192.0.2.3}]}`,
        node2: { internet: false },
        node3: { processes: [listener('registry', 5000)] },
      },
    },
    {
      code: 'KX_MIRROR_UNREACHABLE',
      severity: 'warning',
      on: ['node2'],
      fires: { spec: 'registry: {registryMirrors: ["http://mirror.example.com:8080"]}', node2: { internet: false } },
      says: 'http://mirror.example.com:8080',
      quiet: { spec: 'registry: {registryMirrors: ["http://mirror.example.com:8080"]}' },
    },
    {
      code: 'KX_ARTIFACT_SOURCE_UNREACHABLE',
      severity: 'warning',
      on: ['local'],
      fires: { spec: 'global: {artifactMirror: "https://files.example.com/kubexm"}', local: { internet: false } },
      quiet: { spec: 'global: {artifactMirror: "https://files.example.com/kubexm"}' },
    },
  ])

  it('costs a worker three round trips, however many checks there are', async () => {
    const asked: string[] = []
    const latency = ({ what }: { readonly what: string }) => asked.push(what) * 0
    await preflightOf({ node2: { latency } })
    // The first look, the name servers, the other hosts; before them come the facts and what the test itself puts there.
    expect(asked.slice(asked.indexOf('facts') + 1)).toEqual(['inspect', 'inspect', 'inspect'])
  })

  it('does not accept what the config does not accept, and accepts what it does', async () => {
    const trouble = { node1: { noTimeService: true, processes: [listener('nginx', 6443)] } } as const
    const codes = async (spec: string) => (await preflightOf({ ...trouble, spec })).findings.map(({ code }) => code).sort()
    expect(await codes('')).toEqual(['KX_PORT_TAKEN', 'KX_TIME_SERVICE_KEPT'])
    expect(await codes('preflight: {skipChecks: [KX_PORT_TAKEN]}')).toEqual(['KX_TIME_SERVICE_KEPT'])
  })
})
