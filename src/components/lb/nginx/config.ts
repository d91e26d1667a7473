import * as z from 'zod'
import { absolutePath, field, filledText, list, port } from '../../../config/primitives.ts'

const extra = (where: string) =>
  field(list(z.string()), `Lines appended to ${where}; a setting named here takes the place of ours.`, ['proxy_timeout 4h;'])

/** What a user may say about nginx as a load balancer, on its own hosts (kubexm-kn) or as a pod on workers. */
export const nginxConfig = {
  image: field(
    filledText().optional(),
    'Image of the pod on workers; by default the one of the catalogue.',
    'docker.io/library/nginx:1.29',
  ),
  listenAddress: field(z.string().default('0.0.0.0'), 'Address to listen on, on load balancer hosts.', '0.0.0.0'),
  listenPort: field(port().optional(), 'Port to listen on; controlPlaneEndpoint.port by default.', 6443),
  balanceAlgorithm: field(
    z.enum(['round_robin', 'least_conn', 'hash']).default('least_conn'),
    'How connections are spread.',
    'round_robin',
  ),
  healthCheckPort: field(port().default(8081), 'Port of the health page, on 127.0.0.1.', 8081),
  configFilePath: field(
    absolutePath().default('/etc/nginx/nginx.conf'),
    'Configuration file on load balancer hosts.',
    '/etc/nginx/nginx.conf',
  ),
  skipInstall: field(z.boolean().default(false), 'Use the nginx that is on the host.', false),
  extraHttpConfig: extra('the http block'),
  extraStreamConfig: extra('the stream block'),
  extraServerConfig: extra('the server block'),
}
