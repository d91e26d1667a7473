import { compareSync } from 'bcryptjs'
import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { clusterOf } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { hostsOf } from '../../../config/index.ts'
import { defineModule } from '../../../module/define.ts'
import { definePipeline } from '../../../pipeline/define.ts'
import { seq } from '../../../plan/index.ts'
import { sh } from '../../../runner/index.ts'
import { walk } from '../../../simulation/tree.ts'
import { pushImages, registryService } from './index.ts'
import { htpasswd, registryConfigYml, registryUnit } from './templates.ts'

/** One master, and a registry on a host of its own. */
function withRegistry(spec: string) {
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node2, address: 192.0.2.2, internalAddress: 198.51.100.2, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {master: [node1], worker: [node1], registry: [node2]}
  network: {plugin: flannel}
  registry: ${spec}
`)
  return { cluster, hosts: hostsOf(cluster).filter(({ roles }) => roles.includes('registry')) }
}

const given = withRegistry(
  '{deleteDataOnClean: true, registryConfig: {port: 5000}, auths: {"dockerhub.kubexm.local:5000": {username: robot, password: do-not-show-me}}}',
)

conforms(registryService, { ...given, secrets: ['do-not-show-me'] })

describe('the files of the registry', () => {
  const paths = { dataDirectory: '/mnt/registry', certificate: '/etc/registry/pki/registry.crt', key: '/etc/registry/pki/registry.key' }

  it('its configuration', () =>
    expect(registryConfigYml({ port: 443, ...paths, users: '/etc/registry/htpasswd' })).toMatchFileSnapshot('golden/config.yml'))

  it('its unit', () =>
    expect(registryUnit('/usr/local/bin/registry', '/etc/registry/config.yml', '/mnt/registry')).toMatchFileSnapshot(
      'golden/registry.service',
    ))

  it('its users: the same password gives the same file, and only it is let in', () => {
    const line = htpasswd('robot', 'secret')
    expect(line).toBe(htpasswd('robot', 'secret'))
    expect(line).toMatch(/^robot:\$2b\$06\$[./A-Za-z0-9]{53}\n$/)
    const hash = line.trim().slice('robot:'.length)
    expect([compareSync('secret', hash), compareSync('secreT', hash)]).toEqual([true, false])
    expect(htpasswd('robot', 'other').slice(0, 35)).not.toBe(line.slice(0, 35))
  })
})

const create = definePipeline({
  name: 'create',
  plan: (m) => m(defineModule({ name: 'registry', create: (task) => seq(task(registryService), task(pushImages)) }), 'create'),
})
const remove = definePipeline({
  name: 'delete',
  plan: (m) => m(defineModule({ name: 'registry', create: (task) => task(registryService) }), 'delete'),
})

const rehearse = (directory: string, spec: string): Promise<Rehearsal> => {
  const { cluster } = withRegistry(spec)
  return Rehearsal.of(directory, cluster, hostsOf(cluster), 'debian-12')
}

/** Every tag in the registry of a host, as `repository:tag`. */
function tagsOn(rehearsal: Rehearsal): readonly string[] {
  const { root } = (rehearsal.machines.get('node2') ?? expect.unreachable()).state
  return [...walk(root)].flatMap(([path]) => {
    const [, repository, tag] = /^\/mnt\/registry\/.*\/repositories\/(.+)\/_manifests\/tags\/([^/]+)\/current\/link$/.exec(path) ?? []
    return repository === undefined ? [] : [`${repository}:${tag}`]
  })
}

describe('images of the cluster', () => {
  it('are put into the registry once, by a user made for it, under their own names', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearse(directory, '{}')
      expect((await rehearsal.run(create)).errors).toEqual([])
      expect(tagsOn(rehearsal)).toEqual(expect.arrayContaining(['pause:3.10.1', 'coredns/coredns:v1.12.1', 'flannel-io/flannel:v0.26.7']))
      const changes = rehearsal.mutations()
      expect(new Set((await rehearsal.run(create)).states.values())).toEqual(new Set(['satisfied']))
      expect(rehearsal.mutations()).toBe(changes)
      const told = JSON.stringify(rehearsal.events) + rehearsal.journalText()
      expect(told).not.toContain((await rehearsal.pki.password('registry')).reveal())
    }))

  it('are also there under the name pods use, where that is another one', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearse(directory, '{namespaceOverride: all}')
      expect((await rehearsal.run(create)).errors).toEqual([])
      expect(tagsOn(rehearsal)).toEqual(expect.arrayContaining(['all/flannel:v0.26.7', 'flannel-io/flannel:v0.26.7']))
    }))

  it('stay when the cluster goes, unless the user wants otherwise', () =>
    inTemporaryDirectory(async (directory) => {
      for (const [wish, left] of [
        ['{}', true],
        ['{deleteDataOnClean: true}', false],
      ] as const) {
        const rehearsal = await rehearse(`${directory}/${left}`, wish)
        await rehearsal.run(create)
        expect((await rehearsal.run(remove)).errors).toEqual([])
        const on = (rehearsal.machines.get('node2') ?? expect.unreachable()).runner()
        expect((await on.files.list('/mnt/registry')).length > 0).toBe(left)
        expect(await on.files.list('/etc/registry')).toEqual([])
      }
    }))

  it('are not pushed to a registry that is down, and a resumed run finishes it', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await rehearse(directory, '{}')
      expect((await rehearsal.run(create)).errors).toEqual([])
      const machine = rehearsal.machines.get('node2') ?? expect.unreachable()
      await machine.runner().services.stop('registry')
      const onlyPush = definePipeline({
        name: 'create',
        plan: (m) => m(defineModule({ name: 'registry', create: (task) => task(pushImages) }), 'create'),
      })
      const failed = await rehearsal.run(onlyPush)
      expect(new Set(failed.errors.map((error) => error.code))).toEqual(new Set(['KX_REGISTRY']))
      await machine.runner().services.start('registry')
      expect((await rehearsal.run(onlyPush, { resume: true })).outcome).toBe('success')
    }))
})

it('listens where the config says, also after a reboot', () =>
  withCreated(registryService, given, 'rocky-9', async ({ machines }) => {
    const machine = machines.get('node2') ?? expect.unreachable()
    machine.reboot()
    expect((await machine.runner().run(sh`ss -l`)).stdout).toContain('0.0.0.0:5000')
  }))
