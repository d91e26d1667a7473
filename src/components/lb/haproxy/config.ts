import * as z from 'zod'
import { field, filledText, list, port } from '../../../config/primitives.ts'

const extra = (where: string) =>
  field(list(z.string()), `Lines appended to ${where}; a setting named here takes the place of ours.`, ['timeout client 4h'])

/** What a user may say about haproxy, on its own hosts (kubexm-kh) or as a pod on workers. */
export const haproxyConfig = {
  image: field(
    filledText().optional(),
    'Image of the pod on workers; by default the one of the catalogue.',
    'docker.io/library/haproxy:3.2',
  ),
  frontendBindAddress: field(z.string().default('*'), 'Address to listen on, on load balancer hosts.', '*'),
  frontendPort: field(port().optional(), 'Port to listen on; controlPlaneEndpoint.port by default.', 6443),
  balanceAlgorithm: field(
    z.enum(['roundrobin', 'leastconn', 'source', 'first']).default('leastconn'),
    'How connections are spread.',
    'roundrobin',
  ),
  healthCheckPort: field(port().default(8081), 'Port of the health page, on 127.0.0.1.', 8081),
  skipInstall: field(z.boolean().default(false), 'Use the haproxy that is on the host.', false),
  extraGlobalConfig: extra('the global section'),
  extraDefaultsConfig: extra('the defaults section'),
  extraFrontendConfig: extra('the frontend'),
  extraBackendConfig: extra('the backend'),
}
