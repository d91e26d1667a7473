import * as z from 'zod'
import { flannelVersion } from '../../../config/catalogue/versions.ts'
import { field, filledText, group, optionalGroup, port, version, whole } from '../../../config/primitives.ts'
import { sources } from '../../../config/schema/shared.ts'

/** What a user may say about flannel. */
export const flannelConfig = {
  version: field(version().default(flannelVersion), 'Version of flannel.', 'v0.27.3'),
  backend: group(
    {
      type: field(
        z.enum(['vxlan', 'host-gw', 'ipsec', 'wireguard']).default('vxlan'),
        'How packets travel between hosts; host-gw needs all hosts on one network.',
        'vxlan',
      ),
      vxlan: group(
        {
          vni: field(whole(1, 16_777_215).default(1), 'VXLAN network identifier.', 1),
          port: field(port().default(8472), 'UDP port.', 8472),
          directRouting: field(z.boolean().default(false), 'Route without wrapping between hosts of one network.', true),
        },
        'Settings of the vxlan backend.',
      ),
      ipsec: optionalGroup(
        { pskSecretName: field(filledText(), 'Kubernetes Secret with the pre-shared key.', 'flannel-psk') },
        'Settings of the ipsec backend.',
      ),
    },
    'Transport between hosts.',
  ),
  sources,
}
