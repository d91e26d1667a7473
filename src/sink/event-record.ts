import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { fail } from '../error/index.ts'
import { eventFromJson, eventToJson, type RunEvent, type Sink } from '../event/index.ts'
import { fileOutput } from './file-output.ts'
import { guarded } from './output.ts'

/** Keeps every event of a run in a file, one JSON object a line, to be shown again later. */
export function eventRecordSink(file: string): Sink {
  const out = guarded(fileOutput(file))
  return {
    name: `the event record ${file}`,
    accept: (event) => out.write(`${JSON.stringify(eventToJson(event))}\n`),
    flush: () => out.flush(),
  }
}

/** The events of a record, in order. A last line that was cut off in the middle (a crash, a full disk) is left out. */
export async function* readEvents(file: string): AsyncGenerator<RunEvent> {
  let number = 0
  let broken: number | null = null
  const input = createReadStream(file, 'utf8')
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    number++
    if (broken !== null) throw fail('KX_RECORD_CORRUPT', { file, line: broken })
    if (line === '') continue
    const event = parse(line)
    if (event === null) broken = number
    else yield event
  }
}

/** Tells a sink the events of a record once more. */
export async function replay(file: string, sink: Sink): Promise<void> {
  for await (const event of readEvents(file)) sink.accept(event)
  await sink.flush?.()
}

function parse(line: string): RunEvent | null {
  try {
    const json: unknown = JSON.parse(line)
    const isEvent = typeof json === 'object' && json !== null && 'type' in json && 'at' in json
    return isEvent ? eventFromJson(json as Parameters<typeof eventFromJson>[0]) : null
  } catch {
    return null
  }
}
