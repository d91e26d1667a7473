/** One message of a Server-Sent Events stream. */
export interface Message {
  readonly id: string
  readonly event: string
  readonly data: string
}

/** Puts the messages of a stream together from the pieces of text the network delivers; pieces may end anywhere. */
export class MessageParser {
  #rest = ''
  #data: string[] = []
  #event = ''
  #id = ''

  /** The messages that this piece completes. */
  feed(piece: string): readonly Message[] {
    const lines = (this.#rest + piece).split('\n')
    this.#rest = lines.pop() ?? ''
    const messages: Message[] = []
    for (const line of lines) {
      const message = this.#line(line.endsWith('\r') ? line.slice(0, -1) : line)
      if (message !== null) messages.push(message)
    }
    return messages
  }

  #line(line: string): Message | null {
    if (line === '') return this.#end()
    const colon = line.indexOf(':')
    if (colon === 0) return null
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + (line[colon + 1] === ' ' ? 2 : 1))
    if (field === 'data') this.#data.push(value)
    else if (field === 'event') this.#event = value
    else if (field === 'id') this.#id = value
    return null
  }

  #end(): Message | null {
    const message = { id: this.#id, event: this.#event || 'message', data: this.#data.join('\n') }
    const empty = this.#data.length === 0
    this.#data = []
    this.#event = ''
    return empty ? null : message
  }
}
