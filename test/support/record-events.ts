import { inspect } from 'node:util'
import type { RunEvent, Sink } from '../../src/event/index.ts'

/** A sink that keeps what it is told, for tests to look at. */
export interface EventRecorder extends Sink {
  readonly events: readonly RunEvent[]
  /** The events of one type, in order. */
  of<T extends RunEvent['type']>(type: T): readonly Extract<RunEvent, { type: T }>[]
  /** Everything that was told, as one text: what must not be in it can be looked for. */
  text(): string
}

/** Makes a recorder. */
export function recordEvents(): EventRecorder {
  const events: RunEvent[] = []
  return {
    events,
    accept: (event) => void events.push(event),
    of: <T extends RunEvent['type']>(type: T) =>
      events.filter((event) => event.type === type) as unknown as Extract<RunEvent, { type: T }>[],
    text: () => inspect(events, { depth: null, maxArrayLength: null, maxStringLength: null, breakLength: Number.POSITIVE_INFINITY }),
  }
}
