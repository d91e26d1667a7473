import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

/** Where the lines of a journal are kept. */
export interface JournalFile {
  read(): Promise<string>
  /** Drops what was cut short at the end. */
  truncate(bytes: number): Promise<void>
  /** Ends when the lines would outlive a crash. */
  append(lines: string): Promise<void>
  /** Puts what is there aside, where it stays readable until the next time, and begins anew. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** A journal on disk, for nobody else to read. */
export async function journalOnDisk(file: string): Promise<JournalFile> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const begin = (): Promise<FileHandle> => open(file, 'a+', 0o600)
  let handle = await begin()
  return {
    read: () => handle.readFile('utf8'),
    truncate: (bytes) => handle.truncate(bytes),
    append: async (lines) => {
      await handle.appendFile(lines)
      await handle.datasync()
    },
    restart: async () => {
      await handle.close()
      await rename(file, `${file}.previous`)
      handle = await begin()
    },
    close: () => handle.close(),
  }
}
