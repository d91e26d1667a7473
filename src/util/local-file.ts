import { readFile } from 'node:fs/promises'

/** Whether an error is this one of the system, such as `ENOENT`. */
export const isErrno = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** The text of a file on this machine; null where there is none. */
export async function readIfThere(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return null
    throw error
  }
}
