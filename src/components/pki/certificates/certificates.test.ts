import { describe, expect, it } from 'vitest'
import { conforms, Subject, withCreated } from '../../../../test/conformance/conforms.ts'
import { oneHost, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { composeStep } from '../../../step/compose.ts'
import {
  authorityPaths,
  certificatePaths,
  kubeconfigPath,
  placeAuthority,
  placeCertificates,
  placeKubeconfig,
  placeServiceAccountKeys,
  serviceAccountKeyPaths,
} from '../../../step/generic/certificate.ts'
import { defineTask } from '../../../task/index.ts'
import { seconds } from '../../../util/time.ts'
import { issueCertificates } from './index.ts'

/** Everything the ops for certificates can put on a master. */
const place = composeStep({
  name: 'test.place',
  title: 'Place certificates',
  timeout: seconds(30),
  ops: async (ctx) => [
    ...(await placeAuthority(ctx, 'kubernetes', { withKey: true })),
    ...(await placeAuthority(ctx, 'etcd', { withKey: false, reader: 'etcd-member' })),
    ...(await placeCertificates(ctx, ['apiserver', 'etcd-server'])),
    ...(await placeServiceAccountKeys(ctx)),
    await placeKubeconfig(ctx, 'admin'),
  ],
})
const placeAll = defineTask({ name: 'place-all', description: 'Place certificates', plan: (t) => t.on(t.hosts('master'), place) })

const binary = oneHost('kubernetes: {type: kubexm}')
conforms(placeAll, { ...binary, os: ['debian-12'] })

describe('certificates on a host', () => {
  it('lie where the table says, keys for root alone', () =>
    withCreated(placeAll, binary, 'debian-12', async (rehearsal) => {
      const machine = rehearsal.machines.get('node1')
      if (machine === undefined) throw new Error('there is a node1')
      const modes = async (...paths: readonly string[]) =>
        (await machine.runner().inspect(paths.map((path) => ({ kind: 'file', path }) as const))).map((state) =>
          state.type === 'file' ? `${state.mode} ${state.owner}` : state.type,
        )
      const [secret, open] = ['0600 root:root', '0644 root:root']
      // The conformance suite looks for each of these in what was told.
      expect(rehearsal.secrets.size).toBe(6)
      expect(await modes(certificatePaths('apiserver').key, certificatePaths('apiserver').cert)).toEqual([secret, open])
      expect(await modes(authorityPaths('kubernetes').key, authorityPaths('kubernetes').cert)).toEqual([secret, open])
      expect(await modes(authorityPaths('etcd', 'etcd-member').key, authorityPaths('etcd', 'etcd-member').cert)).toEqual(['absent', open])
      expect(await modes(serviceAccountKeyPaths().key, serviceAccountKeyPaths().publicKey)).toEqual([secret, open])
      expect(await modes(kubeconfigPath('admin'))).toEqual([secret])
      expect(await machine.runner().files.read(certificatePaths('apiserver').key)).toBe(
        (await rehearsal.pki.leaf('apiserver', 'node1')).key.reveal(),
      )
    }))
})

describe('issuing all certificates', () => {
  const { cluster, hosts } = smallCluster()

  it('happens once, on this machine, and is told without secrets', () =>
    inTemporaryDirectory(async (directory) => {
      const rehearsal = await Rehearsal.of(directory, cluster, hosts, 'debian-12')
      const { create, remove } = new Subject(issueCertificates, { cluster, hosts }, 'debian-12', directory)
      const graph = rehearsal.plan(create)
      expect(graph.nodes.flatMap((node) => (node.kind === 'step' ? [node.id] : []))).toEqual(['issue-certificates/pki.issue@local'])
      expect([...(await rehearsal.run(create)).states.values()]).toContain('succeeded')
      expect([...(await rehearsal.run(create)).states.values()]).not.toContain('succeeded')
      expect(rehearsal.mutations()).toBe(0)
      const told = `${rehearsal.journalText()}${JSON.stringify(rehearsal.events)}`
      expect(told).not.toMatch(/PRIVATE|BEGIN/)
      // Without --purge-data data stays on the hosts, and so does the key it may be encrypted with.
      const kept = { id: 'run-9', fence: 9, purgeData: false, skipChecks: [] }
      expect((await rehearsal.run(remove, { run: kept })).outcome).toBe('success')
      expect(await rehearsal.pki.exists()).toBe(true)
      expect((await rehearsal.run(remove)).outcome).toBe('success')
      expect(await rehearsal.pki.exists()).toBe(false)
    }))
})
