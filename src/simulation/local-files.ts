import { mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { fail } from '../error/index.ts'
import { Content } from './content.ts'

/** The machine uploads come from and downloads go to. */
export interface LocalFiles {
  read(path: string): Promise<Content>
  write(path: string, content: Content): Promise<void>
}

/** The disk of this machine. A file uploaded to many hosts is read once. */
export function diskFiles(): LocalFiles {
  const cache = new Map<string, { readonly stamp: string; readonly content: Content }>()
  return {
    read: async (path) => {
      try {
        const { mtimeMs, size, ino } = await stat(path)
        const stamp = `${ino}:${mtimeMs}:${size}`
        const known = cache.get(path)
        if (known?.stamp === stamp) return known.content
        const content = new Content(await readFile(path))
        cache.set(path, { stamp, content })
        return content
      } catch (cause) {
        throw unusable(path, cause)
      }
    },
    write: async (path, content) => {
      try {
        await mkdir(dirname(path), { recursive: true })
        await writeFile(path, content.bytes())
      } catch (cause) {
        throw unusable(path, cause)
      }
    },
  }
}

/** Files that are only in memory, for fleets that must not touch the disk. */
export function memoryFiles(
  initial: Readonly<Record<string, string | Uint8Array>> = {},
): LocalFiles & { readonly contents: ReadonlyMap<string, Content> } {
  const contents = new Map(Object.entries(initial).map(([path, data]) => [path, new Content(data)]))
  return {
    contents,
    read: async (path) => {
      const content = contents.get(path)
      if (content === undefined) throw fail('KX_LOCAL_FILE', { path, why: 'no such file' })
      return content
    },
    write: async (path, content) => {
      contents.set(path, content)
    },
  }
}

const unusable = (path: string, cause: unknown): Error =>
  fail('KX_LOCAL_FILE', { path, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
