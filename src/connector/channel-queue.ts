import { Places } from './places.ts'

/**
 * Keeps the number of sessions on one connection below what the server allows. That number (MaxSessions) is not told to clients:
 * it is learned from the first refusal.
 */
export class ChannelQueue {
  readonly #places: Places
  #open = 0
  #mostOpen = 0

  constructor(limit: number) {
    this.#places = new Places(limit)
  }

  /** Waits for leave to open a session. */
  async take(signal: AbortSignal): Promise<void> {
    await this.#places.take(signal)
  }

  /** The session has ended, or was not opened after all. */
  give(): void {
    this.#places.give()
  }

  /** A session for which leave was taken is open now. */
  opened(): void {
    this.#open++
    this.#mostOpen = Math.max(this.#mostOpen, this.#open)
  }

  /** An open session has ended. */
  closed(): void {
    this.#open--
  }

  /** The server refused a session. True when it is worth waiting, because sessions of ours will end. */
  refused(): boolean {
    // One session is kept free for ending a command that hangs: that takes a second one.
    if (this.#mostOpen > 0) this.#places.limit = Math.min(this.#places.limit, Math.max(1, this.#mostOpen - 1))
    return this.#mostOpen > 0 && this.#places.taken > 1
  }
}
