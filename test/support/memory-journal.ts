import type { JournalFile } from '../../src/engine/index.ts'

/** Journals in memory, by file: a run that is tried thousands of times need not wait for a disk. What is opened again has what was written. */
export class MemoryJournals {
  readonly #texts = new Map<string, string>()

  readonly keep = async (file: string): Promise<JournalFile> => ({
    read: async () => this.text(file),
    truncate: async (bytes) => this.#write(file, Buffer.from(this.text(file)).subarray(0, bytes).toString()),
    append: async (lines) => this.#write(file, this.text(file) + lines),
    restart: async () => {
      this.#write(`${file}.previous`, this.text(file))
      this.#texts.delete(file)
    },
    close: async () => {},
  })

  text(file: string): string {
    return this.#texts.get(file) ?? ''
  }

  #write(file: string, text: string): void {
    this.#texts.set(file, text)
  }
}
