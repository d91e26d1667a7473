import * as z from 'zod'
import { field, filledText, group, list, whole } from '../../../config/primitives.ts'

/** Zones answered by other name servers. */
export const externalZones = () =>
  field(
    list(
      z.strictObject({
        zones: field(z.array(filledText()).min(1), 'Zones, each with a port if it is not 53.', ['example.com', 'example.io:1053']),
        nameservers: field(z.array(filledText()).min(1), 'Servers that answer for them.', ['1.1.1.1']),
        cache: field(whole(0, 86_400).default(5), 'Seconds to keep answers.', 5),
        rewrite: field(list(filledText()), 'Rewrite rules.', ['name substring website.tld website.namespace.svc.cluster.local']),
      }),
    ),
    'Zones answered by other name servers.',
    [{ zones: ['example.com'], nameservers: ['1.1.1.1'], cache: 5 }],
  )

/** What a user may say about CoreDNS. */
export const corednsConfig = {
  additionalConfigs: field(z.string().default(''), 'Lines added to the server block.', 'whoami\nlog\n'),
  externalZones: externalZones(),
  rewriteBlock: field(z.string().default(''), 'A block of the rewrite plugin.', 'rewrite stop {\n  name regex (.*)\\.my\\.domain {1}.svc.cluster.local\n}\n'),
  upstreamDNSServers: field(list(filledText()), 'Servers for names outside the cluster; by default those of the host.', ['8.8.8.8']),
  upstream: group(
    {
      policy: field(z.enum(['random', 'round_robin', 'sequential']).default('random'), 'Order in which upstream servers are asked.', 'sequential'),
      maxConcurrent: field(whole(1).default(1000), 'Questions under way at once.', 1000),
    },
    'How upstream servers are asked.',
  ),
  replicas: field(whole(1, 100).default(2), 'Number of pods.', 2),
}
