import { type ApiClient, ApiError } from './client.ts'
import { MessageParser } from './sse.ts'
import type { EventJson, Job } from './types.ts'

export type Connection = 'connecting' | 'live' | 'lost' | 'ended'

/** Who listens to a job. */
export interface Follower {
  /** Events in order, each once, as many at a time as came in one piece. */
  events(batch: readonly { readonly seq: number; readonly event: EventJson }[]): void
  connection(state: Connection): void
  /** The job as it is at its end. */
  ended(job: Job | null): void
}

const firstWait = 500
const longestWait = 15_000

/** Follows the events of a job from the one after `after` until it ends or the signal comes; lost connections are made anew. */
export async function follow(api: ApiClient, job: string, after: number, follower: Follower, signal: AbortSignal): Promise<void> {
  let last = after
  let wait = firstWait
  while (!signal.aborted) {
    follower.connection('connecting')
    try {
      const path = `jobs/${encodeURIComponent(job)}/events`
      const response = await api.send(path, { accept: 'text/event-stream', query: { after: last }, signal })
      if (response.status === 204 || response.body === null) return finish(follower, null)
      follower.connection('live')
      wait = firstWait
      const end = await read(response.body, (batch) => {
        last = batch.at(-1)?.seq ?? last
        follower.events(batch)
      })
      if (end !== null) return finish(follower, end)
    } catch (error) {
      if (signal.aborted) return
      // A refusal is an answer: to ask again would not change it, unless the server only has no time now.
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) return follower.connection('ended')
    }
    follower.connection('lost')
    await pause(wait, signal)
    wait = Math.min(wait * 2, longestWait)
  }
}

function finish(follower: Follower, job: Job | null): void {
  follower.connection('ended')
  follower.ended(job)
}

async function read(
  body: ReadableStream<Uint8Array>,
  tell: (batch: readonly { readonly seq: number; readonly event: EventJson }[]) => void,
): Promise<Job | null> {
  const parser = new MessageParser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return null
    const batch: { seq: number; event: EventJson }[] = []
    let end: Job | null = null
    for (const { id, event, data } of parser.feed(decoder.decode(value, { stream: true }))) {
      if (event === 'end') end = JSON.parse(data) as Job
      else batch.push({ seq: Number(id), event: JSON.parse(data) as EventJson })
    }
    if (batch.length > 0) tell(batch)
    if (end !== null) {
      await reader.cancel()
      return end
    }
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done(): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
