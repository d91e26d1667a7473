import { randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isErrno, readIfThere } from './local-file.ts'

/** The text of a file of this user's (0600); made if it is not there. Of several processes that start at once one makes it, whole, and all read the same. */
export async function madeOnce(file: string, make: () => string): Promise<string> {
  const there = await readIfThere(file)
  if (there !== null) return there
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const mine = `${file}.${randomUUID()}`
  await writeFile(mine, make(), { mode: 0o600, flush: true })
  try {
    await link(mine, file)
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  } finally {
    await rm(mine)
  }
  return readFile(file, 'utf8')
}
