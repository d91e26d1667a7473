import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../util/hash.ts'
import { run } from './command.ts'

/** Makes a directory of .deb files a repository that apt understands, by writing its `Packages` index. */
export async function indexPackages(directory: string): Promise<number> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.deb')).sort()
  const entries: string[] = []
  for (const name of names) {
    const path = join(directory, name)
    const control = (await run(['dpkg-deb', '--field', path])).trimEnd()
    entries.push(`${control}\nFilename: ./${name}\nSize: ${(await stat(path)).size}\nSHA256: ${sha256(await readFile(path))}\n`)
  }
  await writeFile(join(directory, 'Packages'), entries.join('\n'))
  return names.length
}
