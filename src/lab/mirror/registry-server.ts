import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { type ServerProcess, startServer } from './server-process.ts'

/** A registry to be run: the real one, on a directory of its own. */
export interface RegistryServer {
  /** The registry program. */
  readonly program: string
  /** Its storage. */
  readonly storage: string
  /** Where its configuration is written. */
  readonly work: string
  /** `host:port`; port 0 takes any. */
  readonly address: string
  readonly namespace?: string
  readonly tls?: { readonly certificate: string; readonly key: string }
  /** A file of `user:bcrypt-hash` lines. */
  readonly htpasswd?: string
  readonly token?: { readonly realm: string; readonly service: string; readonly issuer: string; readonly rootCertificates: string }
}

/** Starts the distribution registry. */
export async function startRegistry(server: RegistryServer): Promise<ServerProcess> {
  await mkdir(server.work, { recursive: true })
  await mkdir(server.storage, { recursive: true })
  const config = join(server.work, 'registry.yml')
  await writeFile(config, stringify(registryConfig(server)))
  // The registry does not look at its standard input; a watcher beside it does, and ends it when we are gone.
  const script =
    'exec 3<&0; "$1" serve "$2" & server=$!; (cat <&3 >/dev/null; kill $server) & watcher=$!; wait $server; status=$?; kill $watcher; exit $status'
  return await startServer({
    command: ['sh', '-c', script, 'registry', server.program, config],
    address: server.address,
    ...(server.namespace === undefined ? {} : { namespace: server.namespace }),
  })
}

function registryConfig(server: RegistryServer): object {
  return {
    version: 0.1,
    log: { level: 'info', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: server.storage }, delete: { enabled: true } },
    http: { addr: server.address, secret: 'kubexm-lab', ...(server.tls === undefined ? {} : { tls: server.tls }) },
    ...(server.htpasswd === undefined ? {} : { auth: { htpasswd: { realm: 'kubexm', path: server.htpasswd } } }),
    ...(server.token === undefined
      ? {}
      : {
          auth: {
            token: {
              realm: server.token.realm,
              service: server.token.service,
              issuer: server.token.issuer,
              rootcertbundle: server.token.rootCertificates,
            },
          },
        }),
  }
}
