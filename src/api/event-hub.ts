import { isOver } from '../app/jobs/index.ts'
import { type Database, jobStatuses, lastEvents, readEvents, type StoredEvent } from '../store/index.ts'
import type { Millis } from '../util/time.ts'

/** An event ready to be sent: made once for all who follow the job. */
export interface SentEvent extends StoredEvent {
  readonly frame: string
}

/** All who follow one job, and the newest of its events. */
interface Channel {
  readonly followers: Set<() => void>
  /** Without a gap, up to `last`. */
  recent: SentEvent[]
  last: number
  over: boolean
  /** Resolved when it is known how the job stands. */
  readonly ready: Promise<void>
}

const lookEvery: Millis = 50
const mostRecent = 4000
const atOnce = 1000

const frameOf = (event: StoredEvent): SentEvent => ({
  ...event,
  frame: `id: ${event.seq}\nevent: ${event.type}\ndata: ${event.json}\n\n`,
})

/** Looks for new events of all jobs that somebody follows, once for all of them: two cheap queries every 50 ms, none when nobody does. */
export class EventHub implements Disposable {
  readonly #database: Database
  readonly #channels = new Map<string, Channel>()
  #timer: NodeJS.Timeout | null = null
  #looking = false

  constructor(database: Database) {
    this.#database = database
  }

  /** The events of a job after a number, in batches as they come, until the job has ended or the signal is aborted. */
  async *follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<readonly SentEvent[]> {
    const channel = await this.#join(id)
    let wake: () => void = () => {}
    const onNews = (): void => wake()
    channel.followers.add(onNews)
    signal.addEventListener('abort', onNews, { once: true })
    let last = after
    try {
      while (!signal.aborted) {
        const over = channel.over
        const news = await this.#after(id, channel, last)
        const newest = news.at(-1)
        if (newest !== undefined) {
          yield news
          last = newest.seq
        } else if (over) return
        else if (channel.last <= last && !channel.over && !signal.aborted) await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      signal.removeEventListener('abort', onNews)
      channel.followers.delete(onNews)
      if (channel.followers.size === 0 && this.#channels.get(id) === channel) this.#channels.delete(id)
      this.#arrange()
    }
  }

  [Symbol.dispose](): void {
    for (const { followers } of this.#channels.values()) for (const wake of followers) wake()
    this.#channels.clear()
    this.#arrange()
  }

  async #join(id: string): Promise<Channel> {
    const known = this.#channels.get(id)
    if (known !== undefined) {
      await known.ready
      return known
    }
    const ready = Promise.withResolvers<void>()
    const channel: Channel = { followers: new Set(), recent: [], last: 0, over: false, ready: ready.promise }
    this.#channels.set(id, channel)
    try {
      const [status, last] = await this.#standing([id])
      channel.last = last.get(id) ?? 0
      channel.over = isOver(status.get(id) ?? '')
      ready.resolve()
    } catch (error) {
      this.#channels.delete(id)
      // Those who came meanwhile are told too; that there may be none is no mistake.
      ready.promise.catch(() => {})
      ready.reject(error)
      throw error
    }
    this.#arrange()
    return channel
  }

  /** What came after a number: from memory for those who keep up, from the database for those who do not. */
  async #after(id: string, { recent, last: newest }: Channel, last: number): Promise<readonly SentEvent[]> {
    if (newest <= last) return []
    const first = recent[0]
    if (first !== undefined && first.seq <= last + 1) return recent.slice(last + 1 - first.seq)
    return (await readEvents(this.#database, id, last, atOnce)).map(frameOf)
  }

  /** The status is read first: when a job is over all its events are there. */
  async #standing(ids: readonly string[]) {
    const status = await jobStatuses(this.#database, ids)
    return [status, await lastEvents(this.#database, ids)] as const
  }

  #arrange(): void {
    if (this.#channels.size > 0) this.#timer ??= setInterval(() => void this.#look(), lookEvery)
    else if (this.#timer !== null) {
      clearInterval(this.#timer)
      this.#timer = null
    }
  }

  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      const settled = [...this.#channels].filter(([, { followers }]) => followers.size > 0)
      const [status, last] = await this.#standing(settled.map(([id]) => id))
      await Promise.all(settled.map(([id, channel]) => this.#advance(id, channel, last.get(id) ?? 0, isOver(status.get(id) ?? ''))))
    } catch {
      // The database is away: looked for again in a moment, followers keep their place.
    } finally {
      this.#looking = false
    }
  }

  async #advance(id: string, channel: Channel, last: number, over: boolean): Promise<void> {
    const news = channel.last < last || channel.over !== over
    while (channel.last < last) {
      const page = await readEvents(this.#database, id, channel.last, atOnce)
      const newest = page.at(-1)
      if (newest === undefined) break
      channel.recent = [...channel.recent, ...page.map(frameOf)].slice(-mostRecent)
      channel.last = newest.seq
    }
    channel.over = over
    if (news) for (const wake of [...channel.followers]) wake()
  }
}
