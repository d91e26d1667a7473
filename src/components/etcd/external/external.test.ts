import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Subject } from '../../../../test/conformance/conforms.ts'
import { clusterOf, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { sharedPki } from '../../../../test/support/shared-pki.ts'
import { hostsOf } from '../../../config/index.ts'
import { simulatedBinary } from '../../../simulation/index.ts'
import { externalEtcd } from './index.ts'

/** An etcd somebody else runs, on three machines beside the cluster, and a cluster of one master that is to use it. */
const stores = [11, 12, 13].map((n) => ({ name: `store${n}`, address: `192.0.2.${n}` }))

interface Asked {
  readonly endpoints?: readonly string[]
  /** The lines about files in the config; by default they are all there. */
  readonly files?: string
  readonly scheme?: 'http' | 'https'
  readonly before?: (rehearsal: Rehearsal, directory: string) => Promise<void>
}

const allOf = (scheme: string): readonly string[] => stores.map(({ address }) => `${scheme}://${address}:2379`)

/** What is found out about an etcd. */
function findingsOf({ scheme = 'https', endpoints = allOf(scheme), files, before }: Asked = {}) {
  return inTemporaryDirectory(async (directory) => {
    const pki = sharedPki(smallCluster().cluster)
    const { cert, key } = await pki.leaf('apiserver-etcd-client', 'node1')
    const texts = { 'ca.crt': (await pki.authority('etcd')).cert, 'client.crt': cert, 'client.key': key.reveal() }
    for (const [name, text] of Object.entries(texts)) await writeFile(join(directory, name), text)
    const named = files ?? 'caFile: DIR/ca.crt, certFile: DIR/client.crt, keyFile: DIR/client.key'
    const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {master: [node1], worker: [node1]}
  extra: {hosts: [{domain: store.example, address: 192.0.2.12}]}
  etcd: {type: external, external: {endpoints: [${endpoints.map((url) => `"${url}"`).join(', ')}], ${named.replaceAll('DIR', directory)}}}`)
    const [node] = hostsOf(cluster)
    const others = stores.map((store) => ({
      ...node,
      ...store,
      internalAddress: store.address,
      internalAddresses: [store.address],
      roles: [],
    }))
    const hosts = [...hostsOf(cluster), ...others] as ReturnType<typeof hostsOf>
    const subject = new Subject(externalEtcd, { cluster, hosts }, 'debian-12', directory)
    const rehearsal = await subject.rehearsal()
    await startStores(rehearsal, scheme)
    await before?.(rehearsal, directory)
    const { findings, errors } = await rehearsal.run(subject.create)
    expect(rehearsal.events.filter((event) => JSON.stringify(event).includes('PRIVATE KEY'))).toEqual([])
    expect(errors.map(({ code }) => code)).toEqual(findings.length > 0 ? ['KX_PREFLIGHT'] : [])
    return findings
  })
}

async function startStores(rehearsal: Rehearsal, scheme: string): Promise<void> {
  const initial = stores.map(({ name, address }) => `${name}=http://${address}:2380`).join(',')
  for (const { name, address } of stores) {
    const on = rehearsal.world.runner(name)
    await on.files.write('/usr/local/bin/etcd', Buffer.from(simulatedBinary('etcd', 'amd64')).toString('latin1'), { mode: '0755' })
    const flags = `--name=${name} --initial-cluster=${initial} --initial-advertise-peer-urls=http://${address}:2380 --advertise-client-urls=${scheme}://${address}:2379 --listen-client-urls=${scheme}://${address}:2379`
    await on.files.write('/etc/systemd/system/etcd.service', `[Service]\nType=notify\nExecStart=/usr/local/bin/etcd ${flags}\n`, {
      mode: '0644',
    })
    await on.services.start('etcd', { wait: false })
  }
}

const stop =
  (...names: readonly string[]) =>
  async (rehearsal: Rehearsal) => {
    for (const name of names) await rehearsal.world.runner(name).services.stop('etcd')
  }

describe('an etcd of the user', () => {
  it('is used when every endpoint answers', async () => {
    expect(await findingsOf()).toEqual([])
    expect(await findingsOf({ scheme: 'http', files: '' })).toEqual([])
    expect(await findingsOf({ endpoints: allOf('https').map((endpoint) => `${endpoint}/`) })).toEqual([])
    // Names that kubexm itself will make known.
    expect(await findingsOf({ endpoints: ['https://store.example:2379'] })).toEqual([])
  })

  it.each<[string, Asked, string, string]>([
    ['nobody has the address', { endpoints: ['https://192.0.2.99:2379'] }, 'KX_ETCD_UNREACHABLE', 'Connection timed out'],
    ['another port', { endpoints: ['https://192.0.2.11:2399'] }, 'KX_ETCD_UNREACHABLE', 'Connection refused'],
    ['one member is down', { before: stop('store12') }, 'KX_ETCD_UNREACHABLE', 'https://192.0.2.12:2379'],
    ['it is asked in the clear', { endpoints: ['http://192.0.2.11:2379'], files: '' }, 'KX_ETCD_UNTRUSTED', 'https?'],
    ['no certificate is shown', { endpoints: ['https://192.0.2.11:2379'], files: 'caFile: DIR/ca.crt' }, 'KX_ETCD_UNTRUSTED', 'issuer'],
    [
      'too few members run',
      { endpoints: ['https://192.0.2.11:2379'], before: stop('store12', 'store13') },
      'KX_ETCD_UNHEALTHY',
      'NO LEADER',
    ],
    ['a file is not there', { files: 'caFile: DIR/none.crt' }, 'KX_PKI_EXTERNAL_ETCD', 'none.crt'],
    [
      'the key is that of another',
      { before: async (_, directory) => writeFile(join(directory, 'client.key'), 'x') },
      'KX_PKI_EXTERNAL_ETCD',
      'client.key',
    ],
  ])('is refused when %s', async (_, asked, code, says) => {
    const findings = await findingsOf(asked)
    expect(findings).toMatchObject([{ code, severity: 'error', host: code === 'KX_PKI_EXTERNAL_ETCD' ? 'local' : 'node1' }])
    expect(findings[0]?.problem).toContain(says)
    expect(`${findings[0]?.problem}${findings[0]?.fix}`).not.toMatch(/[{}]|undefined|curl: \(/)
  })
})
