import * as z from 'zod'
import { field, filledText, group, list, whole } from '../../../config/primitives.ts'
import { externalZones } from '../../../config/schema/shared.ts'

/** What a user may say about CoreDNS. */
export const corednsConfig = {
  additionalConfigs: field(z.string().default(''), 'Lines added to the server block.', 'whoami\nlog\n'),
  externalZones: externalZones(),
  rewriteBlock: field(
    z.string().default(''),
    'A block of the rewrite plugin.',
    'rewrite stop {\n  name regex (.*)\\.my\\.domain {1}.svc.cluster.local\n}\n',
  ),
  upstreamDNSServers: field(list(filledText()), 'Servers for names outside the cluster; by default those of the host.', ['8.8.8.8']),
  upstream: group(
    {
      policy: field(
        z.enum(['random', 'round_robin', 'sequential']).default('random'),
        'Order in which upstream servers are asked.',
        'sequential',
      ),
      maxConcurrent: field(whole(1).default(1000), 'Questions under way at once.', 1000),
    },
    'How upstream servers are asked.',
  ),
  replicas: field(whole(1, 100).default(2), 'Number of pods.', 2),
}
