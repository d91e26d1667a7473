import { eventToJson, type Sink } from '../event/index.ts'
import { guarded, type Output } from './output.ts'

/** `-o json`: every event as one JSON object on a line of its own. */
export function jsonOutputSink(output: Output): Sink {
  const out = guarded(output)
  return {
    name: 'the JSON output',
    accept: (event) => out.write(`${JSON.stringify(eventToJson(event))}\n`),
    flush: () => out.flush(),
  }
}
