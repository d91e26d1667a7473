import cryptoModule from 'ssh2/lib/protocol/crypto.js'
import { type Millis, seconds } from '../util/time.ts'
import type { Connector, SshLogin } from './connection.ts'
import { openRoute } from './ssh-client.ts'
import { expandHome, resolveRoute } from './ssh-config-file.ts'
import { SshConnection } from './ssh-connection.ts'

/** Everything needed to reach one machine by SSH. */
export interface SshOptions {
  readonly target: SshLogin
  /** The machines to go through, the first one first; empty: as the SSH client configuration says. */
  readonly jumps: readonly SshLogin[]
  /** known_hosts files that are only read. */
  readonly knownHosts: readonly string[]
  /** Where the key of a server seen for the first time is kept. */
  readonly pinFile: string
  /** What happens to a host key nobody knows (default: it is pinned). */
  readonly unknownHostKeys?: 'pin' | 'refuse'
  /** The SSH client configuration, as in `~/.ssh/config`; left out: none is read. */
  readonly sshConfigFile?: string
  /** For each hop: the TCP connection and the login each have this long (default 15 s). */
  readonly connectTimeout?: Millis
  /** How often a silent connection is tested; it is lost after three tests without an answer (default 15 s). */
  readonly keepalive?: Millis
}

/** Whether ssh2 runs with its native crypto; without it transfers are half as fast, which deserves a warning. */
export const sshCryptoIsNative = (): boolean => cryptoModule.bindingAvailable

/** Makes connections to a machine by SSH. */
export function sshConnector(options: SshOptions): Connector {
  const clientOptions = {
    hostKeys: {
      knownHosts: options.knownHosts.map(expandHome),
      pinFile: expandHome(options.pinFile),
      unknown: options.unknownHostKeys ?? 'pin',
    },
    connectTimeout: options.connectTimeout ?? seconds(15),
    keepalive: options.keepalive ?? seconds(15),
  } as const
  const open = async (signal: AbortSignal): Promise<SshConnection> => {
    const route = resolveRoute(
      options.target,
      options.jumps,
      options.sshConfigFile === undefined ? null : expandHome(options.sshConfigFile),
    )
    const clients = await openRoute(route, clientOptions, signal)
    return new SshConnection(clients as never, route.target, open)
  }
  return {
    kind: 'ssh',
    connect: async (signal) => {
      const connection = await open(signal)
      try {
        await connection.learnUser(signal)
        return connection
      } catch (thrown) {
        await connection[Symbol.asyncDispose]()
        throw thrown
      }
    },
  }
}
