import { readFile } from 'node:fs/promises'
import { BlockList, isIPv6 } from 'node:net'
import { fail } from '../error/index.ts'
import { hasTokens } from '../store/index.ts'
import { buildServer, type ServerOptions } from './server.ts'

/** Where and how a server listens. */
export interface ListenOptions extends Omit<ServerOptions, 'tls'> {
  /** `127.0.0.1:8420`, `[::1]:8420`, `:8420` for all addresses; port 0 is any free one. */
  readonly listen: string
  readonly tlsCert?: string
  readonly tlsKey?: string
}

/** A server that answers. */
export interface ListeningServer extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Starts the server. An address that others can reach needs TLS and at least one token. */
export async function startServer(options: ListenOptions): Promise<ListeningServer> {
  const { host, port } = addressOf(options.listen)
  const tls = await tlsOf(options)
  if (!isLoopback(host)) {
    if (tls === null) throw fail('KX_PUBLIC_ADDRESS', { address: options.listen, why: 'there is no TLS' })
    if (!(await hasTokens(options.jobs.database))) throw fail('KX_PUBLIC_ADDRESS', { address: options.listen, why: 'there is no token' })
  }
  const server = await buildServer({ ...options, tls })
  try {
    await server.listen({ host, port })
  } catch (cause) {
    await server.close()
    throw fail('KX_LISTEN', { address: options.listen, why: (cause as Error).message }, { cause })
  }
  const address = server.server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    port: bound,
    url: `${tls === null ? 'http' : 'https'}://${isIPv6(host) ? `[${host}]` : host}:${bound}`,
    [Symbol.asyncDispose]: async () => {
      await server.close()
    },
  }
}

const isLoopback = (host: string): boolean => host === 'localhost' || loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4')

function addressOf(listen: string): { readonly host: string; readonly port: number } {
  const [, inBrackets, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]]*)):(\d{1,5})$/.exec(listen) ?? []
  const host = inBrackets ?? plain
  if (host === undefined || port === undefined || Number(port) > 65_535)
    throw fail('KX_USAGE', { what: `--listen ${listen} is not an address and a port, such as 127.0.0.1:8420`, command: 'api-server' })
  return { host: host === '' ? '::' : host, port: Number(port) }
}

async function tlsOf({ tlsCert, tlsKey, listen }: ListenOptions): Promise<ServerOptions['tls']> {
  if (tlsCert === undefined && tlsKey === undefined) return null
  if (tlsCert === undefined || tlsKey === undefined)
    throw fail('KX_USAGE', { what: '--tls-cert and --tls-key belong together', command: 'api-server' })
  try {
    return { cert: await readFile(tlsCert, 'utf8'), key: await readFile(tlsKey, 'utf8') }
  } catch (cause) {
    throw fail('KX_LISTEN', { address: listen, why: (cause as Error).message }, { cause })
  }
}
