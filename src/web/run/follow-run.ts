import type { ApiClient } from '../api/client.ts'
import { type Connection, follow } from '../api/follow.ts'
import type { Graph, Job } from '../api/types.ts'
import { Run } from './run.ts'

/** What a page of a job looks at; the same object until something changed. */
export interface Sight {
  readonly run: Run
  readonly version: number
  readonly connection: Connection
  readonly job: Job | null
  readonly problem: unknown
}

/** How often a page is drawn anew while events pour in. */
const drawEvery = 100
const jobEvery = 2000

/** Follows one job for as long as a page shows it: its plan, its events and its record. */
export class RunFollower {
  readonly #api: ApiClient
  readonly #id: string
  #run = new Run()
  #stop = new AbortController()
  #listeners = new Set<() => void>()
  #sight: Sight
  #timer: ReturnType<typeof setTimeout> | undefined
  #loading = false

  constructor(api: ApiClient, id: string) {
    this.#api = api
    this.#id = id
    this.#sight = { run: this.#run, version: 0, connection: 'connecting', job: null, problem: null }
  }

  readonly sight = (): Sight => this.#sight

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Begins to follow; the function given back ends it. */
  start(): () => void {
    this.#stop = new AbortController()
    this.#loading = false
    const { signal } = this.#stop
    void this.#begin(signal)
    const poll = setInterval(() => void this.#poll(signal), jobEvery)
    return () => {
      this.#stop.abort()
      clearInterval(poll)
      clearTimeout(this.#timer)
    }
  }

  /** Takes over what an action answered, and follows on: a resumed job has more to tell. */
  took(job: Job): void {
    this.#show({ job })
    if (this.#sight.connection === 'ended') void this.#follow(this.#stop.signal)
  }

  async #begin(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#poll(signal), this.#load(signal)])
    if (!signal.aborted && this.#sight.problem === null) await this.#follow(signal)
  }

  async #follow(signal: AbortSignal): Promise<void> {
    await follow(
      this.#api,
      this.#id,
      this.#run.lastSeq,
      {
        events: (batch) => {
          this.#run.apply(batch)
          if (this.#run.needsGraph) void this.#load(signal)
          if (batch.some(({ event }) => event.type === 'pipeline.started')) void this.#poll(signal)
          this.#soon()
        },
        connection: (connection) => this.#show({ connection }),
        ended: (job) => {
          if (job !== null) this.#show({ job })
        },
      },
      signal,
    )
  }

  async #load(signal: AbortSignal): Promise<void> {
    if (this.#loading) return
    this.#loading = true
    try {
      const graph: Graph = await this.#api.graph(this.#id)
      if (signal.aborted) return
      if (graph.planned) this.#run.load(graph)
      this.#show({})
    } catch (problem) {
      if (!signal.aborted) this.#show({ problem })
    } finally {
      this.#loading = false
    }
  }

  /** The record of a job (its worker, whether it is being cancelled) is not in its events. */
  async #poll(signal: AbortSignal): Promise<void> {
    const { job, connection } = this.#sight
    if (job?.finished_at != null && connection === 'ended') return
    try {
      const now = await this.#api.job(this.#id)
      if (!signal.aborted) this.#show({ job: now })
    } catch (problem) {
      if (!signal.aborted && this.#sight.job === null) this.#show({ problem })
    }
  }

  #soon(): void {
    this.#timer ??= setTimeout(() => this.#show({}), drawEvery)
  }

  #show(changed: Partial<Sight>): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sight = { ...this.#sight, ...changed, version: this.#run.version }
    for (const listener of this.#listeners) listener()
  }
}
