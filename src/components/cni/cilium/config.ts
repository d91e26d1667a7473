import * as z from 'zod'
import { field, group, version } from '../../../config/primitives.ts'
import { sources } from '../../../config/schema/shared.ts'

const onOff = (about: string, by = false) => field(z.boolean().default(by), about, !by)

/** What a user may say about Cilium. */
export const ciliumConfig = {
  version: field(version().default('1.18.2'), 'Version of Cilium.', '1.18.2'),
  network: group(
    {
      tunnelingMode: field(
        z.enum(['vxlan', 'geneve', 'disabled']).default('vxlan'),
        'How packets travel between hosts; disabled routes them natively.',
        'geneve',
      ),
      ipamMode: field(
        z.enum(['cluster-pool', 'kubernetes', 'multi-pool']).default('kubernetes'),
        'Who hands out pod addresses.',
        'kubernetes',
      ),
      enableBGPControlPlane: onOff('Announce routes by BGP.'),
    },
    'Transport and addresses.',
  ),
  kubeProxy: group(
    {
      replacement: onOff('Do the work of kube-proxy; kubernetes.proxyMode must then be none.'),
      enableBPFMasquerade: onOff('Masquerade in eBPF rather than iptables.', true),
    },
    'Service handling.',
  ),
  hubble: group({ enable: onOff('Collect flows.'), enableUI: onOff('Install the web page of Hubble.') }, 'Observability.'),
  security: group(
    {
      identityAllocationMode: field(z.enum(['crd', 'kvstore']).default('crd'), 'Where identities are kept.', 'crd'),
      enableEncryption: onOff('Encrypt traffic between hosts with WireGuard.'),
    },
    'Identities and encryption.',
  ),
  performance: group({ enableBandwidthManager: onOff('Pace pod traffic in eBPF.') }, 'Throughput.'),
  sources,
}
