import { connect, createServer, type Socket } from 'node:net'

/** A TCP proxy on the loopback whose line can be cut. */
export interface CutProxy extends AsyncDisposable {
  readonly port: number
  /** Ends every connection through it at once. */
  cut(): void
  /** Cuts once that many bytes have gone to the server on one connection. */
  cutAfter(bytes: number): void
  /** Swallows all bytes from now on without closing anything, as a dead firewall does. */
  stall(): void
}

/** Starts a proxy to a port of the loopback. */
export async function startCutProxy(to: number): Promise<CutProxy> {
  const sockets = new Set<Socket>()
  let most = Number.POSITIVE_INFINITY
  let stalled = false
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  const server = createServer((client) => {
    const upstream = connect({ port: to, host: '127.0.0.1', noDelay: true })
    client.setNoDelay(true)
    let sent = 0
    for (const [from, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        if (stalled) return
        if (from === client) sent += chunk.length
        if (sent > most) return cut()
        if (!other.write(chunk)) {
          from.pause()
          other.once('drain', () => from.resume())
        }
      })
      from.on('error', () => undefined)
      from.on('close', () => {
        sockets.delete(from)
        other.destroy()
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    cut,
    cutAfter: (bytes) => {
      most = bytes
    },
    stall: () => {
      stalled = true
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
