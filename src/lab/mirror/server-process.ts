import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fail } from '../../error/index.ts'
import { type Millis, seconds } from '../../util/time.ts'

/** A server that runs as a child of this process and never outlives it. */
export interface ServerProcess extends AsyncDisposable {
  /** `host:port` it really listens on. */
  readonly address: string
  readonly pid: number
}

/** How a server is started. */
export interface ServerCommand {
  readonly command: readonly string[]
  /** The address it is told to listen on: for errors. */
  readonly address: string
  /** A network namespace (path) it runs in instead of ours. */
  readonly namespace?: string
  readonly within?: Millis
}

/** Starts a server and waits until it says that it listens. Its standard input is ours: when that ends, so must it. */
export async function startServer(server: ServerCommand): Promise<ServerProcess> {
  const inside = server.namespace === undefined ? [] : ['nsenter', `--net=${server.namespace}`]
  const [command = '', ...args] = [...inside, ...server.command]
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const tail: string[] = []
  const ended = once(child, 'close')
  // A program that cannot be started is told by `listening`.
  ended.catch(() => {})
  try {
    const address = await listening(child, tail, server.within ?? seconds(20))
    return { address, pid: child.pid ?? 0, [Symbol.asyncDispose]: () => stop(child, ended) }
  } catch (error) {
    await stop(child, ended)
    throw fail(
      'KX_MIRROR_SERVE',
      { address: server.address, why: error instanceof Error ? error.message : String(error) },
      { seen: tail.join('\n'), cause: error },
    )
  }
}

function listening(child: ChildProcess, tail: string[], within: Millis): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`it does not listen after ${within} ms`)), within)
    const look = (line: string): void => {
      tail.push(line)
      if (tail.length > 20) tail.shift()
      const [, address] = /listening on (\[?[0-9a-fA-F.:]+\]?:\d+)/.exec(line) ?? []
      if (address === undefined) return
      clearTimeout(timer)
      resolve(address)
    }
    for (const stream of [child.stdout, child.stderr]) if (stream !== null) createInterface({ input: stream }).on('line', look)
    child.on('error', reject)
    child.on('exit', (code) => {
      clearTimeout(timer)
      reject(new Error(`it ended with ${code}`))
    })
  })
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  if (child.pid === undefined) return
  child.stdin?.end()
  const timer = setTimeout(() => child.kill('SIGKILL'), seconds(5))
  await ended
  clearTimeout(timer)
}
