import * as z from 'zod'
import { field, filledText, secret, whole } from '../../../config/primitives.ts'

/** What a user may say about keepalived; everything has a default from the hosts with the loadbalancer role. */
export const keepalivedConfig = {
  interface: field(
    filledText().optional(),
    'Interface that carries the virtual address; by default the one of the internal address.',
    'eth0',
  ),
  virtualRouterId: field(whole(1, 255).default(51), 'VRRP id, unique on the network.', 51),
  advertInt: field(whole(1, 255).default(1), 'Seconds between advertisements.', 1),
  preempt: field(z.boolean().default(true), 'Take the address back when the first host returns.', true),
  unicast: field(z.boolean().default(true), 'Talk to the peers directly rather than by multicast.', true),
  authPass: field(
    secret().optional(),
    'VRRP password, at most eight characters; by default one is made and kept with the certificates of the cluster.',
    {
      env: 'VRRP_PASSWORD',
    },
  ),
  routerId: field(filledText().optional(), 'Name of the router; the host name by default.', 'lb1'),
  extraConfig: field(z.array(z.string()).default([]), 'Lines appended to keepalived.conf.', [
    'global_defs {',
    '    vrrp_garp_master_refresh 60',
    '}',
  ]),
}
