import * as z from 'zod'
import { field, version } from '../../../config/primitives.ts'
import { sources } from '../../../config/schema/shared.ts'

/** What a user may say about Multus, which adds further interfaces to pods. */
export const multusConfig = {
  enabled: field(z.boolean().default(false), 'Install Multus beside the network plugin.', true),
  version: field(version().default('v4.2.2'), 'Version of Multus.', 'v4.2.2'),
  sources,
}
