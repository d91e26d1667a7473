import { get, type IncomingMessage } from 'node:http'
import { messagesIn } from '../../src/cli/server-client.ts'

/** What one who follows a job saw. */
export interface Followed {
  readonly ids: number[]
  /** From the event to its arrival, in milliseconds. */
  readonly latencies: number[]
  connections: number
  ended: boolean
}

/** Follows a job as a browser does: a connection that is cut is made again with the last id. Cut by itself after so many events, to prove it. */
export async function followEvents(url: string, token: string, cutAfter: number | null): Promise<Followed> {
  const seen: Followed = { ids: [], latencies: [], connections: 0, ended: false }
  while (!seen.ended) {
    const response = await open(url, token, seen.ids.at(-1) ?? 0)
    seen.connections++
    if (response.statusCode === 204) break
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}`)
    let until = cutAfter
    try {
      for await (const { id, type, data } of messagesIn(response)) {
        if (type === 'end') {
          seen.ended = true
          break
        }
        seen.ids.push(id)
        seen.latencies.push(Date.now() - Date.parse((JSON.parse(data) as { at: string }).at))
        if (until !== null && --until === 0) break
      }
    } finally {
      response.destroy()
    }
  }
  return seen
}

function open(url: string, token: string, last: number): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      ...(last === 0 ? {} : { 'last-event-id': String(last) }),
    }
    get(url, { agent: false, headers }, resolve).on('error', reject)
  })
}
