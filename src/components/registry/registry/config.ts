import * as z from 'zod'
import { absolutePath, field, filledText, port, secret, version } from '../../../config/primitives.ts'

const login = z.strictObject({
  username: field(filledText().optional(), 'User name at the registry.', 'robot'),
  password: field(secret().optional(), 'Password at the registry.', { env: 'REGISTRY_PASSWORD' }),
  auth: field(secret().optional(), 'User and password, base64, in place of the two.', { env: 'REGISTRY_AUTH' }),
  skipTLSVerify: field(z.boolean().default(false), 'Accept a certificate that cannot be verified.', false),
  plainHTTP: field(z.boolean().default(false), 'Speak HTTP without TLS.', false),
  certsPath: field(absolutePath().optional(), 'Directory on the hosts with certificates (*.crt, *.cert, *.key) for the registry.', '/etc/docker/certs.d/dockerhub.kubexm.local'),
})

/** How to log in to registries and trust them, by registry name. */
export const registryAuths = () =>
  field(z.record(z.string(), login).default({}), 'Login and trust by registry name.', {
    'dockerhub.kubexm.local': { username: 'robot', password: { env: 'REGISTRY_PASSWORD' } },
  })

/** What a user may say about the plain registry kubexm installs. */
export const registryConfig = {
  version: field(version().default('2.8.3'), 'Version of the registry program.', '2.8.3'),
  port: field(port().default(443), 'Port the registry listens on.', 5000),
}
