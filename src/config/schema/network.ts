import { isIP } from 'node:net'
import * as z from 'zod'
import { calicoConfig } from '../../components/cni/calico/config.ts'
import { ciliumConfig } from '../../components/cni/cilium/config.ts'
import { flannelConfig } from '../../components/cni/flannel/config.ts'
import { kubeovnConfig } from '../../components/cni/kube-ovn/config.ts'
import { multusConfig } from '../../components/cni/multus/config.ts'
import { haproxyConfig } from '../../components/lb/haproxy/config.ts'
import { keepalivedConfig } from '../../components/lb/keepalived/config.ts'
import { kubeVipConfig } from '../../components/lb/kube-vip/config.ts'
import { nginxConfig } from '../../components/lb/nginx/config.ts'
import { cidr, domain, field, group, oneOrMore, port, text, whole } from '../primitives.ts'

const ranges = (by: string) => oneOrMore(cidr()).default([by])
const addressOrNothing = () =>
  text(/^[0-9a-fA-F.:]*$|^$/, 'an address, or nothing', '172.16.0.253', (value) => value === '' || isIP(value) !== 0)

/** The network of pods and services. */
export const network = {
  plugin: field(
    z.enum(['calico', 'flannel', 'cilium', 'kube-ovn', 'none']).default('flannel'),
    'Network plugin; none leaves it to you.',
    'calico',
  ),
  kubePodsCIDR: field(
    ranges('10.233.64.0/18'),
    'Addresses of pods; for dual stack an IPv4 and an IPv6 range.',
    '10.233.64.0/18,fd85:ee78:d8a6:8607::1:0/112',
  ),
  kubeServiceCIDR: field(
    ranges('10.233.0.0/18'),
    'Addresses of services; for dual stack an IPv4 and an IPv6 range.',
    '10.233.0.0/18,fd85:ee78:d8a6:8607::1000/116',
  ),
  ippool: group(
    { blockSize: field(whole(20, 128).default(26), 'Prefix of the address block Calico gives to a node.', 26) },
    'Address blocks.',
  ),
  calico: group(calicoConfig, 'Settings of Calico.'),
  flannel: group(flannelConfig, 'Settings of flannel.'),
  cilium: group(ciliumConfig, 'Settings of Cilium.'),
  kubeovn: group(kubeovnConfig, 'Settings of Kube-OVN.'),
  multus: group(multusConfig, 'Settings of Multus.'),
}

/** How the API servers are reached. */
export const controlPlaneEndpoint = {
  externalLoadBalancer: field(
    z.enum(['', 'kubexm-kh', 'kubexm-kn', 'external']).default(''),
    'Load balancer in front of the API servers: keepalived with haproxy (kubexm-kh) or nginx (kubexm-kn) on the loadbalancer hosts, your own (external), or none.',
    'kubexm-kh',
  ),
  internalLoadbalancer: field(
    z.enum(['', 'haproxy', 'nginx', 'kube-vip']).default(''),
    'Load balancer inside the cluster: haproxy or nginx on every worker, or kube-vip on the masters. Several masters need one, unless there is an external one.',
    'haproxy',
  ),
  externalDNS: field(
    z.boolean().default(false),
    'The domain is resolved by your DNS; lb_address is then empty and nothing is written to /etc/hosts.',
    false,
  ),
  domain: field(domain().default('lb.kubexm.local'), 'Name of the API endpoint.', 'lb.kubesphere.local'),
  lb_address: field(addressOrNothing().default(''), 'Virtual address of the external load balancer or of kube-vip.', '172.16.0.253'),
  port: field(port().default(6443), 'Port of the API endpoint.', 6443),
  keepalived: group(keepalivedConfig, 'Settings of keepalived.'),
  haproxy: group(haproxyConfig, 'Settings of haproxy.'),
  nginxLB: group(nginxConfig, 'Settings of nginx as a load balancer.'),
  kubevip: group(kubeVipConfig, 'Settings of kube-vip.'),
}
