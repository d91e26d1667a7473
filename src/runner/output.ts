import { StringDecoder } from 'node:string_decoder'

/** Keeps the end of a stream: memory stays bounded whatever a command prints. */
export class Tail {
  readonly #most: number
  #chunks: Uint8Array[] = []
  #size = 0
  #dropped = false

  constructor(most: number) {
    this.#most = most
  }

  get truncated(): boolean {
    return this.#dropped
  }

  push(chunk: Uint8Array): void {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    // Joined only when twice the limit has gathered, so that each byte is copied about once.
    if (this.#size > 2 * this.#most) this.#cut()
  }

  bytes(): Buffer {
    this.#cut()
    return Buffer.concat(this.#chunks)
  }

  #cut(): void {
    if (this.#size <= this.#most) return
    // A copy, so that the cut-off part is not kept alive by the rest.
    const kept = Buffer.from(Buffer.concat(this.#chunks).subarray(this.#size - this.#most))
    this.#dropped = true
    this.#chunks = [kept]
    this.#size = kept.length
  }
}

// A program that prints megabytes without a line break is shown in pieces.
const longestLine = 64 * 1024

/** A line as a terminal would leave it: a carriage return starts it over (progress bars of package managers). */
const asShown = (line: string): string => line.replace(/\r+$/, '').split('\r').at(-1) ?? ''

/** Cuts a stream of bytes into lines; `end` gives the last one, which has no line break. */
export function lineSplitter(onLine: (line: string) => void): { push(chunk: Uint8Array): void; end(): void } {
  const decoder = new StringDecoder('utf8')
  let open = ''
  const take = (text: string): void => {
    const lines = (open + text).split('\n')
    open = lines.pop() ?? ''
    for (const line of lines) onLine(asShown(line))
    while (open.length > longestLine) {
      onLine(open.slice(0, longestLine))
      open = open.slice(longestLine)
    }
  }
  return {
    push: (chunk) => take(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength))),
    end: () => {
      take(decoder.end())
      if (open !== '') onLine(asShown(open))
      open = ''
    },
  }
}

const mark = '\x1e'
const signal = new RegExp(`${mark}kx:([a-z]+) ?([^${mark}]*)${mark}\\n?`, 'g')

/** What a script told kubexm itself on stderr, between the lines meant for people (`kx_say` in a script). */
export function signalsIn(text: string): ReadonlyMap<string, string> {
  return new Map([...text.matchAll(signal)].map((match) => [match[1] as string, match[2] as string]))
}

/** A text without those signals. */
export const withoutSignals = (text: string): string => text.replace(signal, '')
