import { type Clock, type Millis, seconds, systemClock } from '../util/time.ts'
import type { RunEvent, Sink } from './event.ts'
import { Redactor } from './redact.ts'

interface BusOptions {
  readonly redactor?: Redactor
  readonly clock?: Clock
  /** How long the end of a run waits for a sink that does not finish. */
  readonly flushWithin?: Millis
}

/** Carries the events of a run to its sinks: without secrets, in order, and whatever a sink does the run goes on. */
export class EventBus {
  readonly redactor: Redactor
  readonly #sinks: Set<Sink>
  readonly #failed = new Set<Sink>()
  readonly #clock: Clock
  readonly #flushWithin: Millis

  constructor(sinks: Iterable<Sink> = [], { redactor = new Redactor(), clock = systemClock, flushWithin = seconds(5) }: BusOptions = {}) {
    this.redactor = redactor
    this.#sinks = new Set(sinks)
    this.#clock = clock
    this.#flushWithin = flushWithin
  }

  /** Adds a sink for the events to come; the function given back takes it off again. */
  attach(sink: Sink): () => void {
    this.#sinks.add(sink)
    return () => this.#sinks.delete(sink)
  }

  /** Tells every sink. Never throws and never waits. */
  emit(event: RunEvent): void {
    const clean = this.#redacted(event)
    for (const sink of this.#sinks) this.#tell(sink, clean)
  }

  /** Waits until every sink has put away what it holds, or has had time enough for it. */
  async flush(): Promise<void> {
    await Promise.all([...this.#sinks].map((sink) => this.#flushOne(sink)))
  }

  /** What cannot be looked through (a foreign error with a trap in it) is not told. */
  #redacted(event: RunEvent): RunEvent {
    try {
      return this.redactor.event(event)
    } catch {
      const { at, pipelineId, pipeline } = event
      return {
        type: 'note',
        level: 'warn',
        at,
        pipelineId,
        pipeline,
        message: `a ${event.type} event could not be freed of secrets and was left out`,
      }
    }
  }

  #tell(sink: Sink, event: RunEvent): void {
    try {
      // An async accept type-checks as a void one: its rejection would end the process.
      const result: unknown = sink.accept(event)
      if (result instanceof Promise) result.catch((error: unknown) => this.#report(sink, error, event))
    } catch (error) {
      this.#report(sink, error, event)
    }
  }

  async #flushOne(sink: Sink): Promise<void> {
    if (sink.flush === undefined) return
    const late = Promise.withResolvers<never>()
    const timer = this.#clock.after(this.#flushWithin, () => late.reject(new Error('it did not finish in time')))
    try {
      await Promise.race([sink.flush(), late.promise])
    } catch (error) {
      this.#report(sink, error, null)
    } finally {
      timer.cancel()
    }
  }

  /** The other sinks are told, once: a full disk would otherwise say the same at every event. */
  #report(sink: Sink, error: unknown, event: RunEvent | null): void {
    if (this.#failed.has(sink)) return
    this.#failed.add(sink)
    const why = error instanceof Error ? error.message : String(error)
    const message = this.redactor.text(`${sink.name ?? 'an event sink'} failed, its record of this run is not complete: ${why}`)
    const at = new Date(this.#clock.now())
    const where = event ?? { pipelineId: '', pipeline: '' }
    const note: RunEvent = { type: 'note', level: 'warn', at, pipelineId: where.pipelineId, pipeline: where.pipeline, message }
    for (const other of this.#sinks) if (other !== sink) this.#tell(other, note)
  }
}
