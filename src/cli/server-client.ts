import { setTimeout as pause } from 'node:timers/promises'
import { codes, fail, KubexmError } from '../error/index.ts'
import { eventFromJson, type RunEvent } from '../event/index.ts'
import type { Json } from '../util/json.ts'

type JsonObject = { readonly [key: string]: Json }

/** A request to an API server. */
interface Sent {
  readonly body?: string
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** An API server as the command line talks to it. */
export interface ServerClient {
  send(method: string, path: string, sent?: Sent): Promise<JsonObject>
  /** The events of a job from the first, or from the one after a number, until it has ended; a lost connection is made again. */
  events(id: string, options: { readonly after?: number; readonly signal?: AbortSignal }): AsyncGenerator<RunEvent>
}

/** How often a lost connection is made again before it is given up. */
const mostTries = 10

/** Talks to the server at a URL, with the token of KUBEXM_TOKEN. */
export function serverClient(server: string, token: string | undefined = process.env.KUBEXM_TOKEN): ServerClient {
  const base = server.replace(/\/+$/, '')
  const ask = async (method: string, path: string, { body, type, headers = {} }: Sent, signal?: AbortSignal): Promise<Response> => {
    try {
      return await fetch(base + path, {
        method,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined ? {} : { 'content-type': type ?? 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (cause) {
      if (signal?.aborted === true) throw cause
      throw fail('KX_SERVER_UNREACHABLE', { server: base, why: reasonOf(cause) }, { cause })
    }
  }
  return {
    send: async (method, path, sent = {}) => {
      const response = await ask(method, path, sent)
      const text = await response.text()
      if (!response.ok) throw refusal(base, response.status, text)
      return text === '' ? {} : (JSON.parse(text) as JsonObject)
    },
    events: async function* (id, { after = 0, signal }) {
      let last = after
      let tries = 0
      for (;;) {
        try {
          const headers = { accept: 'text/event-stream', 'last-event-id': String(last) }
          const response = await ask('GET', `/api/v1/jobs/${encodeURIComponent(id)}/events`, { headers }, signal)
          if (response.status === 204) return
          if (!response.ok || response.body === null) throw refusal(base, response.status, await response.text())
          for await (const message of messagesIn(response.body)) {
            if (message.type === 'end') return
            tries = 0
            yield eventFromJson(JSON.parse(message.data) as JsonObject)
            last = message.id
          }
        } catch (error) {
          if (signal?.aborted === true) return
          if ((error instanceof KubexmError && error.code !== 'KX_SERVER_UNREACHABLE') || ++tries > mostTries) throw error
        }
        await pause(Math.min(500 * 2 ** tries, 10_000))
      }
    },
  }
}

const reasonOf = (cause: unknown): string => {
  const inner = (cause as Error).cause
  return inner instanceof Error ? inner.message || String((inner as NodeJS.ErrnoException).code) : (cause as Error).message
}

/** What the server said, as an error of ours: its code where we know it. */
function refusal(server: string, status: number, text: string): KubexmError {
  const said = parsed(text)
  const problem = typeof said?.problem === 'string' ? said.problem : `status ${status}`
  const fix = typeof said?.fix === 'string' ? { fix: said.fix } : {}
  const listed = Array.isArray(said?.errors) ? (said.errors as readonly JsonObject[]) : []
  const seen = listed.map(({ line, col, path, problem: what, fix: how }) => `${line}:${col} ${path}: ${what}\n  Fix: ${how}`).join('\n')
  const code = typeof said?.code === 'string' && Object.hasOwn(codes, said.code) ? said.code : null
  const circumstances = { ...fix, ...(seen === '' ? {} : { seen }) }
  if (code === 'KX_UNAUTHORIZED') return fail(code, {}, circumstances)
  return fail('KX_SERVER_REFUSED', { server, problem }, circumstances)
}

function parsed(text: string): JsonObject | null {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return null
  }
}

interface Message {
  readonly id: number
  readonly type: string
  readonly data: string
}

/** The messages of a stream of Server-Sent Events. */
export async function* messagesIn(body: AsyncIterable<Uint8Array>): AsyncGenerator<Message> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const blocks = rest.split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const field = (name: string): string | undefined =>
        block
          .split('\n')
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const data = field('data')
      if (data !== undefined) yield { id: Number(field('id') ?? 0), type: field('event') ?? 'message', data }
    }
  }
}
