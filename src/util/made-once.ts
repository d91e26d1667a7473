import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

/** The text of a file of this user's (0600); made if it is not there. Of several processes that start at once one makes it, whole, and all read the same. */
export async function madeOnce(file: string, make: () => string): Promise<string> {
  const there = await readOrNull(file)
  if (there !== null) return there
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${file}.${randomUUID()}`
  await writeFile(mine, make(), { mode: 0o600, flush: true })
  try {
    await link(mine, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await rm(mine)
  }
  return readFile(file, 'utf8')
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
