import * as z from 'zod'
import { field, ip } from '../../../config/primitives.ts'
import { externalZones } from '../../../config/schema/shared.ts'

/** What a user may say about the DNS cache on each node. */
export const nodelocaldnsConfig = {
  enabled: field(z.boolean().default(false), 'Run a DNS cache on every node.', true),
  ip: field(ip().default('169.254.25.10'), 'Link-local address the cache listens on.', '169.254.25.10'),
  externalZones: externalZones(),
}
