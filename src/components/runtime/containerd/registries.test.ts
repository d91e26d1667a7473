import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { clusterOf } from '../../../../test/support/clusters.ts'
import { hostsOf } from '../../../config/index.ts'
import type { SimulatedHost } from '../../../simulation/index.ts'
import { containerd } from './index.ts'
import { hostsToml } from './templates.ts'

/** One node that is everything, and a registry beside it. */
function withRegistry(spec: string) {
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node2, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {master: [node1], worker: [node1]${spec.includes('external') ? '' : ', registry: [node2]'}}
${spec.replace(/^(?=.)/gm, '  ')}`)
  return { cluster, hosts: hostsOf(cluster).filter(({ name }) => name === 'node1') }
}

const own = withRegistry('registry: {registryConfig: {port: 5000}, registryMirrors: mirror.example.com}\n')
const name = 'dockerhub.kubexm.local:5000'
const certs = '/etc/containerd/certs.d'

conforms(containerd, { ...own, os: ['debian-12'] })

type Hosts = { readonly server: string; readonly host: Readonly<Record<string, Readonly<Record<string, unknown>>>> }

const hostsOn = async (machine: SimulatedHost | undefined, registry: string): Promise<Hosts | null> => {
  const text = await (machine ?? expect.unreachable()).runner().files.read(`${certs}/${registry}/hosts.toml`)
  return text === null ? null : (parse(text) as unknown as Hosts)
}

const authsOn = async (machine: SimulatedHost | undefined): Promise<unknown> => {
  const text = (await (machine ?? expect.unreachable()).runner().files.read('/etc/containerd/config.toml')) ?? ''
  const { plugins } = parse(text) as unknown as { plugins: Record<string, { registry?: { configs?: unknown } }> }
  return plugins['io.containerd.cri.v1.images']?.registry?.configs
}

describe('the registry kubexm runs', () => {
  it('is trusted by our authority, and logged in to', () =>
    withCreated(containerd, own, 'debian-12', async ({ machines, pki }) => {
      const machine = machines.get('node1')
      const ca = `${certs}/${name}/ca.crt`
      expect(await machine?.runner().files.read(ca)).toBe((await pki.authority('kubernetes')).cert)
      expect(await hostsOn(machine, name)).toEqual({
        server: `https://${name}`,
        host: { [`https://${name}`]: { capabilities: ['pull', 'resolve'], ca } },
      })
      expect(await authsOn(machine)).toEqual({
        [name]: { auth: { username: 'kubexm', password: (await pki.password('registry')).reveal() } },
      })
    }))

  it('stands in for the registries images come from, before other mirrors', () =>
    withCreated(containerd, own, 'debian-12', async ({ machines }) => {
      const machine = machines.get('node1')
      const docker = await hostsOn(machine, 'docker.io')
      expect(Object.keys(docker?.host ?? {})).toEqual([`https://${name}`, 'https://mirror.example.com', 'https://registry-1.docker.io'])
      expect(docker?.host[`https://${name}`]).toMatchObject({ ca: `${certs}/${name}/ca.crt` })
      expect(docker?.host['https://mirror.example.com']).toEqual({ capabilities: ['pull', 'resolve'] })
      for (const other of ['ghcr.io', 'quay.io', 'registry.k8s.io'])
        expect(Object.keys((await hostsOn(machine, other))?.host ?? {})).toEqual([`https://${name}`, `https://${other}`])
    }))
})

describe('registries of others', () => {
  const spec = `registry:
  type: external
  privateRegistry: hub.example.com
  auths:
    hub.example.com: {auth: {env: TEST_REGISTRY_AUTH}, certsPath: /etc/docker/certs.d/hub}
    plain.example.com: {plainHTTP: true}
    known.example.com: {username: robot, password: secret-one}
kubernetes:
  version: v1.34.4
  containerRuntime:
    containerd:
      insecureRegistries: old.example.com:5000
      registry:
        mirrors: {quay.io: {endpoints: ["https://old.example.com:5000"]}}
        configs:
          ghcr.io: {auth: {identityToken: secret-two}, tls: {caFile: /etc/ssl/ghcr.crt, certFile: /c.crt, keyFile: /c.key}}
`
  it('are reached, trusted and logged in to as the config says, and not taken for a mirror', () => {
    process.env.TEST_REGISTRY_AUTH = Buffer.from('robot:three').toString('base64')
    const scenario = {
      ...withRegistry(spec),
      before: (rehearsal: Parameters<Parameters<typeof withCreated>[3]>[0]) =>
        rehearsal.prepare(async (on) => {
          for (const file of ['ca.crt', 'client.cert', 'client.key', 'lonely.cert'])
            await on.files.write(`/etc/docker/certs.d/hub/${file}`, 'x\n', { mode: '0644' })
        }),
    }
    return withCreated(containerd, scenario, 'debian-12', async ({ machines }) => {
      const machine = machines.get('node1')
      const directory = '/etc/docker/certs.d/hub'
      expect((await hostsOn(machine, 'hub.example.com'))?.host['https://hub.example.com']).toEqual({
        capabilities: ['pull', 'resolve'],
        ca: `${directory}/ca.crt`,
        client: [[`${directory}/client.cert`, `${directory}/client.key`]],
      })
      expect((await hostsOn(machine, 'plain.example.com'))?.server).toBe('http://plain.example.com')
      expect(await hostsOn(machine, 'known.example.com')).toBeNull()
      expect((await hostsOn(machine, 'quay.io'))?.host).toEqual({
        'https://old.example.com:5000': { capabilities: ['pull', 'resolve'], skip_verify: true },
        'https://quay.io': { capabilities: ['pull', 'resolve'] },
      })
      expect((await hostsOn(machine, 'ghcr.io'))?.host['https://ghcr.io']).toMatchObject({
        ca: '/etc/ssl/ghcr.crt',
        client: [['/c.crt', '/c.key']],
      })
      expect(await hostsOn(machine, 'registry.k8s.io')).toBeNull()
      expect(await authsOn(machine)).toEqual({
        'hub.example.com': { auth: { auth: process.env.TEST_REGISTRY_AUTH } },
        'known.example.com': { auth: { username: 'robot', password: 'secret-one' } },
        'ghcr.io': { auth: { identitytoken: 'secret-two' } },
      })
    })
  })
})

it('hosts.toml names those that are asked in their order, each with its trust', () => {
  const trust = { skipVerify: true, ca: ['/a.crt', '/b.crt'], client: [] }
  const plain = { skipVerify: false, ca: [], client: [] }
  return expect(
    hostsToml({
      server: 'https://r',
      hosts: [
        { url: 'https://m', trust },
        { url: 'https://r', trust: plain },
      ],
    }),
  ).toMatchFileSnapshot('golden/hosts.toml')
})
