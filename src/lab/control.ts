import { createConnection, createServer, type Server } from 'node:net'
import { createInterface } from 'node:readline'
import { asKubexmError, type Code, fail, KubexmError } from '../error/index.ts'
import type { LabPaths } from './paths.ts'
import type { HostOptions } from './types.ts'

/** What the supervisor of a lab can be asked to do. */
export type ControlRequest =
  | { readonly op: 'start' | 'kill' | 'reboot' | 'cut' | 'heal' | 'remove'; readonly host: string }
  | { readonly op: 'add'; readonly options: HostOptions }

/** The host that a request was about: for `add` the new one. */
export interface ControlReply {
  readonly host: string
}

type Wire =
  | { readonly ok: ControlReply }
  | { readonly error: { code: string; params: Record<string, string | number>; seen: string | null } }

/** Answers requests on the lab's socket: one line of JSON each way. */
export async function serveControl(socket: string, answer: (request: ControlRequest) => Promise<ControlReply>): Promise<Server> {
  const server = createServer((connection) => {
    connection.on('error', () => connection.destroy())
    createInterface({ input: connection }).once('line', async (line) => {
      let reply: Wire
      try {
        reply = { ok: await answer(JSON.parse(line) as ControlRequest) }
      } catch (thrown) {
        const { code, params, seen } = asKubexmError(thrown)
        reply = { error: { code, params, seen } }
      }
      connection.end(`${JSON.stringify(reply)}\n`)
    })
  })
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.on('error', reject).listen(socket, resolve)
  await promise
  return server
}

/** Asks the supervisor of a lab to do something and waits until it has. */
export async function askSupervisor(paths: LabPaths, lab: string, request: ControlRequest): Promise<ControlReply> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const connection = createConnection(paths.socket)
  connection.on('error', (cause) => reject(fail('KX_LAB_SUPERVISOR', { name: lab, log: paths.supervisorLog }, { cause })))
  createInterface({ input: connection }).once('line', resolve)
  connection.on('close', () => reject(fail('KX_LAB_SUPERVISOR', { name: lab, log: paths.supervisorLog })))
  connection.write(`${JSON.stringify(request)}\n`)
  const reply = JSON.parse(await promise) as Wire
  if ('ok' in reply) return reply.ok
  const { code, params, seen } = reply.error
  // Codes come from the same program on the other side of the socket.
  throw new KubexmError(code as Code, params, seen === null ? {} : { seen })
}
