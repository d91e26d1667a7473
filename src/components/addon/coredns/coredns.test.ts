import { describe, expect, it } from 'vitest'
import { conforms, withCreated } from '../../../../test/conformance/conforms.ts'
import { errorsOf, leavesNoObjects } from '../../../../test/support/cluster-objects.ts'
import { smallCluster } from '../../../../test/support/clusters.ts'
import type { Rehearsal } from '../../../../test/support/rehearsal.ts'
import { withControlPlane } from '../../../../test/support/simulated-services.ts'
import { sh } from '../../../runner/index.ts'
import { coredns } from './index.ts'
import { type CorednsSettings, type CorefileSettings, corednsYaml, corefile } from './templates.ts'

const image = 'registry.k8s.io/coredns/coredns:v1.12.1'
/** A network that needs nothing to run. */
const network =
  'apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: flannel, namespace: kube-system}\nspec: {template: {spec: {hostNetwork: true}}}\n'

async function withNetwork(rehearsal: Rehearsal): Promise<void> {
  await withControlPlane(rehearsal, [image])
  await rehearsal.prepare(async (on) => {
    if (on.host === 'node1') await on.run(sh`kubectl --kubeconfig=/etc/kubernetes/admin.conf apply -f -`, { stdin: network })
  })
}

const scenario = { ...smallCluster(), os: ['debian-12'] as const, before: withNetwork }

conforms(coredns, scenario)
leavesNoObjects(coredns, scenario)

const plain: CorefileSettings = {
  domain: 'cluster.local',
  hosts: '',
  zones: [],
  rewriteBlock: '',
  upstreams: ['/etc/resolv.conf'],
  policy: 'random',
  maxConcurrent: 1000,
  additional: '',
}
const everything: CorefileSettings = {
  domain: 'example.internal',
  hosts: '  192.168.0.100 api.example.com\n\n  192.168.0.200 ingress.example.com\n',
  zones: [
    { zones: ['example.com', 'example.io:1053'], nameservers: ['1.1.1.1', '2.2.2.2'], cache: 5, rewrite: [] },
    {
      zones: ['mydomain.tld'],
      nameservers: ['10.233.0.3'],
      cache: 0,
      rewrite: ['name substring website.tld website.namespace.svc.cluster.local'],
    },
  ],
  rewriteBlock:
    'rewrite stop {\n  name regex (.*)\\.my\\.domain {1}.svc.cluster.local\n  answer name (.*)\\.svc\\.cluster\\.local {1}.my.domain\n}\n',
  upstreams: ['8.8.8.8', '1.2.4.8'],
  policy: 'sequential',
  maxConcurrent: 500,
  additional: '  whoami\n  log\n',
}
const manifest: Omit<CorednsSettings, keyof CorefileSettings> = { image, replicas: 2, addresses: ['10.233.0.10'] }

describe('the Corefile', () => {
  it.each<[name: string, settings: CorefileSettings]>([
    ['plain', plain],
    ['everything', everything],
    ['no-upstream', { ...plain, upstreams: null }],
  ])('%s', async (name, settings) => {
    await expect(corefile(settings)).toMatchFileSnapshot(`golden/${name}.Corefile`)
  })

  it('has as many closing braces as opening ones', () => {
    for (const settings of [plain, everything]) {
      // Braces with something in them stand for what a pattern has found.
      const text = corefile(settings).replaceAll(/\{\w+\}/g, '')
      expect(text.split('{').length).toBe(text.split('}').length)
    }
  })
})

describe('the manifest', () => {
  it.each<[name: string, settings: CorednsSettings]>([
    ['plain', { ...plain, ...manifest }],
    ['everything', { ...everything, ...manifest, replicas: 3, addresses: ['10.233.0.10', 'fd85:ee78:d8a6:8607::100a'] }],
  ])('%s', async (name, settings) => {
    await expect(corednsYaml(settings)).toMatchFileSnapshot(`golden/${name}.yaml`)
  })

  it('makes other pods of other settings', () => {
    const mark = (over: Partial<CorednsSettings>): string =>
      /configuration: (\S+)/.exec(corednsYaml({ ...plain, ...manifest, ...over }))?.[1] ?? ''
    expect(mark({})).not.toBe('')
    expect(mark({ hosts: '192.0.2.1 a' })).not.toBe(mark({}))
    expect(mark({ replicas: 5 })).toBe(mark({}))
  })
})

/** The Corefile in the cluster once the task was run on hosts whose resolv.conf says this. */
const corefileWith = async (resolvConf: Readonly<Record<string, string>>, spec = ''): Promise<string> => {
  let found = ''
  const before = async (rehearsal: Rehearsal): Promise<void> => {
    await withNetwork(rehearsal)
    await rehearsal.prepare(async (on) => {
      await on.files.remove('/etc/resolv.conf')
      for (const [path, text] of Object.entries(resolvConf)) await on.files.write(path, text, { mode: '0644' })
    })
  }
  await withCreated(coredns, { ...smallCluster(spec), before }, 'debian-12', async ({ simulated }) => {
    found = String(simulated.state.objects.get('ConfigMap/kube-system/coredns')?.data?.Corefile)
  })
  return found
}

describe('names outside of the cluster', () => {
  it.each<[scenario: string, files: Readonly<Record<string, string>>, spec: string, forward: string | null]>([
    ['are asked of the servers of the hosts', { '/etc/resolv.conf': 'nameserver 192.0.2.53\n' }, '', '. /etc/resolv.conf'],
    ['are not known where the hosts have no servers', { '/etc/resolv.conf': 'search example.com\n' }, '', null],
    ['are not known where the hosts have no resolv.conf', {}, '', null],
    [
      'are asked of the servers behind a stub',
      { '/etc/resolv.conf': 'nameserver 127.0.0.53\n', '/run/systemd/resolve/resolv.conf': 'nameserver 192.0.2.53\n' },
      '',
      '. /etc/resolv.conf',
    ],
    [
      'are not known where there is nothing behind a stub',
      { '/etc/resolv.conf': 'nameserver 127.0.0.53\n', '/run/systemd/resolve/resolv.conf': '# none\n' },
      '',
      null,
    ],
    [
      'are asked of the servers of the config first of all',
      {},
      'dns: {coredns: {upstreamDNSServers: [8.8.8.8, "1.1.1.1:5353"]}}',
      '. 8.8.8.8 1.1.1.1:5353',
    ],
  ])('%s', async (_, files, spec, forward) => {
    expect(/forward (.*) \{/.exec(await corefileWith(files, spec))?.[1] ?? null).toBe(forward)
  })
})

it('waits in vain where the image is on no host', async () => {
  const [error] = await errorsOf(coredns, { ...scenario, before: (rehearsal) => withControlPlane(rehearsal, []) })
  expect(error).toMatchObject({
    code: 'KX_STEP_TIMEOUT',
    seen: expect.stringContaining('0 of 2 pods of deployment kube-system/coredns are available'),
  })
})

it('is not waited for where the user brings the network', async () => {
  const spec = 'network: {plugin: none}'
  const before = (rehearsal: Rehearsal): Promise<void> => withControlPlane(rehearsal, [])
  await withCreated(coredns, { ...smallCluster(spec), before }, 'debian-12', async ({ simulated }) => {
    expect(simulated.state.objects.has('Deployment/kube-system/coredns')).toBe(true)
  })
})
