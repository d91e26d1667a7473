import * as z from 'zod'
import { extraArgs, field, filledText, ip, optionalGroup, whole } from '../../../config/primitives.ts'

/** What a user may say about kube-vip. */
export const kubeVipConfig = {
  image: field(filledText().optional(), 'Image of kube-vip; by default the one of the catalogue.', 'ghcr.io/kube-vip/kube-vip:v1.0.1'),
  mode: field(z.enum(['ARP', 'BGP']).default('ARP'), 'How the virtual address is announced.', 'BGP'),
  interface: field(
    filledText().optional(),
    'Interface that carries the virtual address; by default the one of the internal address, with BGP the loopback.',
    'eth0',
  ),
  enableControlPlaneLB: field(
    z.boolean().default(true),
    'Spread connections over all masters with ipvs; where the kernel has none, the master that holds the address serves them all.',
    true,
  ),
  enableServicesLB: field(z.boolean().default(false), 'Also serve Services of type LoadBalancer.', true),
  bgpConfig: optionalGroup(
    {
      routerID: field(ip().optional(), 'Router id; by default the internal address of each host.', '192.168.0.1'),
      peerAddress: field(ip(), 'Address of the BGP peer.', '192.168.0.254'),
      peerASN: field(whole(1, 4_294_967_295), 'Autonomous system of the peer.', 65_000),
      asn: field(whole(1, 4_294_967_295), 'Autonomous system of the cluster.', 65_001),
      sourceAddress: field(ip().optional(), 'Address to connect from.', '192.168.0.1'),
    },
    'BGP; needed in mode BGP.',
  ),
  extraArgs: field(extraArgs(), 'Further environment of kube-vip, merged last.', { vip_leaseduration: '15' }),
}
