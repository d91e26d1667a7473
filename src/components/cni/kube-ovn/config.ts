import * as z from 'zod'
import { cidr, field, filledText, version, whole } from '../../../config/primitives.ts'
import { sources } from '../../../config/schema/shared.ts'

/** What a user may say about Kube-OVN. */
export const kubeovnConfig = {
  version: field(version().default('v1.14.10'), 'Version of Kube-OVN.', 'v1.14.10'),
  joinCIDR: field(
    cidr().default('100.64.0.0/16'),
    'Addresses of the network between hosts and pods; shared with nothing else.',
    '100.64.0.0/16',
  ),
  label: field(
    filledText().default('node-role.kubernetes.io/control-plane'),
    'Label of the hosts the OVN databases run on.',
    'node-role.kubernetes.io/control-plane',
  ),
  networkType: field(z.enum(['geneve', 'vxlan', 'vlan']).default('geneve'), 'How packets travel between hosts.', 'geneve'),
  iface: field(z.string().default(''), 'Interface to use; by default the one of the default route.', 'eth0'),
  mtu: field(whole(0, 65_535).default(0), 'MTU of pod interfaces; 0 detects it.', 1400),
  enableSSL: field(z.boolean().default(false), 'Encrypt the connections to the OVN databases.', true),
  enableMirror: field(z.boolean().default(false), 'Mirror the traffic of all pods to an interface.', false),
  sources,
}
