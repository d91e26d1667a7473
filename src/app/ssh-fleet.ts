import type { Ask, Bastion, Cluster, ClusterHost, SecretSource } from '../config/index.ts'
import { ConnectionPool, localConnector, type SshLogin, sshConnector } from '../connector/index.ts'
import { createRunner } from '../runner/index.ts'
import type { WorkPaths } from '../runtime/index.ts'
import { Secret } from '../util/secret.ts'
import { seconds } from '../util/time.ts'
import { type Fleet, type FleetWish, gatherFleet } from './fleet.ts'

interface Circumstances extends FleetWish {
  readonly paths: WorkPaths
  readonly signal: AbortSignal
  readonly ask: Ask
  /** Told of every secret before it is used. */
  readonly onSecret: (value: string) => void
}

/** Reaches the machines of a cluster by SSH, as the config says. */
export async function sshFleet(cluster: Cluster, circumstances: Circumstances): Promise<Fleet> {
  const { paths, signal, ask, onSecret } = circumstances
  const pool = new ConnectionPool()
  const reveal = async (source: SecretSource | null | undefined): Promise<Secret | null> => {
    if (source === null || source === undefined) return null
    const value = await source.resolve({ ask })
    onSecret(value)
    return new Secret(value)
  }
  const { global } = cluster.spec
  pool.add('local', localConnector())
  const local = createRunner({ host: 'local', connection: await pool.connect('local', signal), sudo: 'none' })
  const reach = async (host: ClusterHost) => {
    // Keys of the agent are offered unless the config says not to.
    const target = { ...(await loginOf(host, reveal)), ...(global.useAgent ? {} : { agent: false }) }
    const jumps = host.bastion === null ? [] : [await loginOf({ ...bastionDefaults, ...host.bastion }, reveal)]
    const connector =
      host.type === 'local'
        ? localConnector()
        : sshConnector({
            target,
            jumps,
            knownHosts: [global.knownHosts],
            pinFile: paths.knownHosts,
            unknownHostKeys: global.hostKeyPolicy === 'strict' ? 'refuse' : 'pin',
            ...(global.sshConfig === undefined ? {} : { sshConfigFile: global.sshConfig }),
            connectTimeout: seconds(host.timeout),
          })
    pool.add(host.name, connector)
    const password = await reveal(host.sudoPassword)
    return createRunner({
      host: host.name,
      connection: await pool.connect(host.name, signal),
      sudo: password === null ? {} : { password },
    })
  }
  return gatherFleet(cluster, circumstances, reach, local, () => pool[Symbol.asyncDispose]())
}

const bastionDefaults = { password: null, privateKey: null, privateKeyPath: null, privateKeyPassphrase: null } as const

type LoginFields = Pick<ClusterHost, 'address' | 'port' | 'user'> & {
  readonly [K in 'password' | 'privateKey' | 'privateKeyPassphrase']?: SecretSource | null | undefined
} & { readonly privateKeyPath?: string | null | undefined }

async function loginOf(
  { address, port, user, ...keys }: LoginFields | (Bastion & LoginFields),
  reveal: (source: SecretSource | null | undefined) => Promise<Secret | null>,
): Promise<SshLogin> {
  const [password, privateKey, passphrase] = await Promise.all([
    reveal(keys.password),
    reveal(keys.privateKey),
    reveal(keys.privateKeyPassphrase),
  ])
  return {
    address,
    port,
    user,
    ...(password === null ? {} : { password }),
    ...(privateKey === null ? {} : { privateKey }),
    ...(passphrase === null ? {} : { passphrase }),
    ...(keys.privateKeyPath === null || keys.privateKeyPath === undefined ? {} : { privateKeyPath: keys.privateKeyPath }),
  }
}
