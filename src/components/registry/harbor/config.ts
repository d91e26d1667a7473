import * as z from 'zod'
import { absolutePath, field, overlay, port, secret, version } from '../../../config/primitives.ts'

/** What a user may say about Harbor. */
export const harborConfig = {
  version: field(version().default('v2.13.2'), 'Version of Harbor.', 'v2.13.2'),
  adminPassword: field(secret().optional(), 'Password of the user admin; by default one is made and kept in the work directory.', {
    env: 'HARBOR_ADMIN_PASSWORD',
  }),
  httpPort: field(port().default(80), 'Port for HTTP, which redirects to HTTPS.', 80),
  httpsPort: field(port().default(443), 'Port for HTTPS.', 443),
  dataVolume: field(absolutePath().optional(), 'Directory of the data; registry.registryDataDir by default.', '/mnt/registry'),
  databasePassword: field(secret().optional(), 'Password of the database; by default one is made.', { env: 'HARBOR_DB_PASSWORD' }),
  withTrivy: field(z.boolean().default(false), 'Install the vulnerability scanner.', true),
  extra: field(overlay(), 'Merged last into harbor.yml.', { log: { level: 'info' } }),
}
