import { field, port, version } from '../../../config/primitives.ts'

/** What a user may say about the plain registry kubexm installs. */
export const registryConfig = {
  version: field(version().optional(), 'Version of the registry program; by default the one of the catalogue.', '3.0.0'),
  port: field(port().default(443), 'Port the registry listens on.', 5000),
}
