import { field, port, version } from '../../../config/primitives.ts'

/** What a user may say about the plain registry kubexm installs. */
export const registryConfig = {
  version: field(version().default('2.8.3'), 'Version of the registry program.', '2.8.3'),
  port: field(port().default(443), 'Port the registry listens on.', 5000),
}
