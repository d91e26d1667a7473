import { describe, expect, it } from 'vitest'
import { type Odd, preflightOf, tryRows } from '../../../../../test/support/preflight.ts'
import { osProfiles } from '../../../../simulation/index.ts'

const walled = osProfiles['rocky-9']
const resolv = (text: string): Odd => ({ files: { '/etc/resolv.conf': text } })
const stub = (behind: string): Odd => ({
  files: { '/etc/resolv.conf': 'nameserver 127.0.0.53\n', '/run/systemd/resolve/resolv.conf': behind },
})
const route = (destination: string, via: string | null, name: string): Odd => ({
  facts: {
    routes: [
      { destination: 'default', via: '192.0.2.254', interface: 'eth0' },
      { destination, via, interface: name },
    ],
  },
})

describe('the network of a host', () => {
  tryRows([
    {
      code: 'KX_ADDRESS_MISSING',
      severity: 'error',
      on: ['node2'],
      fires: { node2: { asked: { internalAddresses: ['10.0.0.7'] } } },
      says: 'no interface of the host has 10.0.0.7',
      quiet: { node2: { asked: { internalAddresses: ['10.0.0.7', '2001:db8::7'] }, otherAddresses: ['10.0.0.7', '2001:0db8:0::7'] } },
    },
    {
      code: 'KX_FIREWALL_ON',
      severity: 'warning',
      on: ['node1'],
      fires: { node1: { os: walled }, node2: { os: 'ubuntu-24.04' } },
      says: 'firewalld is active',
      quiet: { spec: 'preflight: {disableFirewalld: false}', node1: { os: walled } },
    },
    {
      code: 'KX_FIREWALL_KEPT',
      severity: 'warning',
      on: ['node1'],
      fires: { spec: 'preflight: {disableFirewalld: false}', node1: { os: walled } },
      quiet: { spec: 'preflight: {disableFirewalld: false}', node1: { os: { ...walled, firewallActive: false } } },
    },
    {
      code: 'KX_RESOLV_MISSING',
      severity: 'error',
      on: ['node1', 'node2', 'node3'],
      fires: { node1: resolv(''), node2: resolv('# nameserver 192.0.2.53\nsearch x\n'), node3: { files: { '/etc/resolv.conf': null } } },
      quiet: { node1: resolv('search x\n nameserver\t192.0.2.53\n') },
    },
    {
      code: 'KX_RESOLV_MISSING',
      severity: 'warning',
      on: ['node1'],
      fires: { spec: 'extra: {resolves: [{address: 192.0.2.53}]}', node1: resolv('') },
      quiet: { spec: 'extra: {resolves: [{address: 192.0.2.53}]}' },
    },
    {
      code: 'KX_RESOLV_LOOP',
      severity: 'error',
      on: ['node1', 'node2', 'node3'],
      fires: {
        node1: resolv('nameserver 127.0.0.1\n'),
        node2: resolv('nameserver 10.233.0.3\nnameserver 192.0.2.53\n'),
        node3: resolv('nameserver 169.254.25.10\n'),
      },
      says: '/etc/resolv.conf names 127.0.0.1',
      quiet: { node1: stub('nameserver 192.0.2.53\n') },
    },
    {
      code: 'KX_RESOLV_LOOP',
      severity: 'error',
      on: ['node1'],
      fires: { node1: stub('nameserver 127.0.0.1\n') },
      says: '/run/systemd/resolve/resolv.conf names 127.0.0.1',
      quiet: { spec: 'dns: {coredns: {upstreamDNSServers: [192.0.2.53]}}', node1: resolv('nameserver 127.0.0.1\n') },
    },
    {
      code: 'KX_NAMESERVER_SILENT',
      severity: 'error',
      on: ['node3'],
      fires: { node3: { internet: false } },
      says: 'the name server 192.0.2.53 of /etc/resolv.conf does not answer',
      quiet: { node3: resolv('nameserver 192.0.2.53\nnameserver 192.0.2.54\n') },
    },
    {
      code: 'KX_NAMESERVER_SILENT',
      severity: 'warning',
      on: ['node3'],
      fires: { node3: { ...resolv('nameserver 192.0.2.53\nnameserver 192.0.2.54\n'), says: { 'kubexm-dns': '192.0.2.54\n' } } },
      quiet: { node3: { says: { 'kubexm-dns': '192.0.2.53\n' } } },
    },
    {
      code: 'KX_CIDR_ROUTE',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { node1: route('10.233.70.0/24', '192.0.2.200', 'eth0'), node2: { otherAddresses: ['10.233.0.9'] } },
      says: 'kubePodsCIDR 10.233.64.0/18 overlaps 10.233.70.0/24 on eth0',
      // What the network plugin of this very cluster has made: its interfaces, and routes by way of the other hosts.
      quiet: { node1: route('10.233.70.0/24', '192.0.2.2', 'eth0'), node2: route('10.233.66.0/24', null, 'flannel.1') },
    },
  ])

  it('names the ports to open where the firewall stays', async () => {
    const { findings } = await preflightOf({
      spec: 'preflight: {disableFirewalld: false}\nnetwork: {plugin: calico}',
      node1: { os: walled },
    })
    expect(findings.find(({ code }) => code === 'KX_FIREWALL_KEPT')?.fix).toContain(
      'allow 6443/tcp, 10250/tcp, 2379/tcp, 2380/tcp, 179/tcp',
    )
  })
})
