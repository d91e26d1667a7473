import { eventToJson, type RunEvent, type Sink } from '../event/index.ts'
import { type Clock, type Millis, systemClock } from '../util/time.ts'

/** An event on its way into a job database. */
export interface NumberedEvent {
  readonly seq: number
  readonly at: Date
  readonly type: string
  readonly json: string
}

interface JobStoreOptions {
  /** Adds events to the job, in order, and says what is done now. Rejects when they could not be added. */
  readonly append: (events: readonly NumberedEvent[], currentStep: string | null) => Promise<void>
  /** The number of the first event. */
  readonly nextSeq: number
  /** Whether trying again is of no use: then nothing more is written, and the run is told. */
  readonly isFinal: (error: unknown) => boolean
  readonly onLost: (error: unknown) => void
  /** As many as one `append` takes. */
  readonly most: number
  readonly clock?: Clock
}

/** Those who watch see an event this much later at most; in between, events share one write. */
const delay: Millis = 40
const retryEvery: Millis = 500

/** Writes the events of a run into a job database, in the order they came, without gaps. The run does not wait for it. */
export function jobStoreSink(options: JobStoreOptions): Sink {
  return new JobStoreSink(options)
}

class JobStoreSink implements Sink {
  readonly name = 'the job database'
  readonly #options: JobStoreOptions
  readonly #clock: Clock
  #waiting: RunEvent[] = []
  #currentStep: string | null = null
  #seq: number
  #lost = false
  #timer: { cancel(): void } | null = null
  #writing: Promise<void> | null = null

  constructor(options: JobStoreOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#seq = options.nextSeq
  }

  accept(event: RunEvent): void {
    if (this.#lost) return
    if (event.type === 'step.started') this.#currentStep = event.host === undefined ? event.title : `${event.title} on ${event.host}`
    // Of the progress of one step only the newest is worth keeping.
    const last = this.#waiting.at(-1)
    if (event.type === 'step.progress' && last?.type === 'step.progress' && last.step === event.step && last.host === event.host)
      this.#waiting.pop()
    this.#waiting.push(event)
    this.#timer ??= this.#clock.after(delay, () => void this.#write())
  }

  async flush(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#lost) await this.#write()
    await this.#writing
  }

  #write(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = null
    this.#writing ??= this.#writeAll().finally(() => {
      this.#writing = null
    })
    return this.#writing
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0 && !this.#lost) {
      const events = this.#waiting.splice(0, this.#options.most).map((event, i) => {
        const json = JSON.stringify(eventToJson(event))
        return { seq: this.#seq + i, at: event.at, type: event.type, json }
      })
      while (!this.#lost && !(await this.#append(events))) await this.#clock.sleep(retryEvery)
      this.#seq += events.length
    }
  }

  /** False: it was tried in vain and is worth another try, unless the job is lost. */
  async #append(events: readonly NumberedEvent[]): Promise<boolean> {
    try {
      await this.#options.append(events, this.#currentStep)
      return true
    } catch (error) {
      if (!this.#options.isFinal(error)) return false
      this.#lost = true
      this.#waiting = []
      this.#options.onLost(error)
      return true
    }
  }
}
