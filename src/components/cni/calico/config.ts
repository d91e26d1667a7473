import * as z from 'zod'
import { cidr, field, filledText, group, list, version, whole, words } from '../../../config/primitives.ts'
import { sources } from '../../../config/schema/shared.ts'

const encapsulation = ['Always', 'CrossSubnet', 'Never'] as const

const pool = z.strictObject({
  name: field(filledText(), 'Name of the pool.', 'default-ipv4-ippool'),
  cidr: field(cidr(), 'Addresses of the pool; inside kubePodsCIDR.', '10.233.64.0/18'),
  encapsulation: field(
    z.enum(['IPIP', 'VXLAN', 'IPIPCrossSubnet', 'VXLANCrossSubnet', 'None']).default('IPIP'),
    'How packets travel between hosts.',
    'VXLAN',
  ),
  natOutgoing: field(z.boolean().default(true), 'Hide pods behind the address of their host when they leave the cluster.', true),
  blockSize: field(whole(20, 128).default(26), 'Prefix of the block each host gets.', 26),
  disabled: field(z.boolean().default(false), 'Give out no new addresses.', false),
})

/** What a user may say about Calico. */
export const calicoConfig = {
  version: field(version().default('v3.28.5'), 'Version of Calico.', 'v3.28.5'),
  ipipMode: field(z.enum(encapsulation).default('Always'), 'Wrap packets in IPIP; anything but Never needs vxlanMode Never.', 'Always'),
  vxlanMode: field(z.enum(encapsulation).default('Never'), 'Wrap packets in VXLAN; anything but Never needs ipipMode Never.', 'Never'),
  vethMTU: field(whole(0, 65_535).default(0), 'MTU of pod interfaces; 0 detects it.', 1440),
  bgp: group({ enabled: field(z.boolean().default(true), 'Announce routes by BGP; VXLAN needs none.', true) }, 'Route announcements.'),
  typha: group(
    {
      enabled: field(z.boolean().default(false), 'Put Typha between Calico and the API server; for more than about 50 hosts.', true),
      replicas: field(whole(1, 100).default(1), 'Number of Typha pods.', 3),
      nodeSelector: field(words(), 'Labels of the hosts Typha runs on.', { 'node-role.kubernetes.io/control-plane': '' }),
    },
    'Fan-out proxy for large clusters.',
  ),
  ipam: group(
    {
      pools: field(list(pool), 'Address pools; by default one for each range of kubePodsCIDR.', [{ name: 'blue', cidr: '10.233.64.0/18' }]),
      autoCreatePools: field(z.boolean().default(true), 'Make the default pools when none are listed.', true),
    },
    'Address management.',
  ),
  felix: group(
    {
      logSeverityScreen: field(
        z.enum(['Debug', 'Info', 'Warning', 'Error', 'Fatal']).default('Info'),
        'How much the agent logs.',
        'Warning',
      ),
    },
    'The agent on each host.',
  ),
  sources,
}
