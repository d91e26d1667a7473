import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { hashFile, writeFileAtomically } from '../resource/atomic-file.ts'
import { run } from './command.ts'

/** Makes .deb files of a directory a repository that apt understands, `deb [trusted=yes] <where> ./`; gives the files of its index. */
export async function indexPackages(directory: string, names: readonly string[]): Promise<readonly string[]> {
  const stanzas: string[] = []
  for (const name of [...names].sort()) stanzas.push(await stanza(join(directory, name)))
  const index = stanzas.join('\n')
  const indexes = { Packages: Buffer.from(index), 'Packages.gz': gzipSync(index) }
  const written = { ...indexes, Release: Buffer.from(release(indexes)) }
  for (const [name, bytes] of Object.entries(written)) await writeFileAtomically(join(directory, name), bytes)
  return Object.keys(written).map((name) => join(directory, name))
}

/** A package's own description with what an index adds to it. */
async function stanza(file: string): Promise<string> {
  const [control, { size, sha256 }] = await Promise.all([run(['dpkg-deb', '--field', file]), hashFile(file)])
  return `${control.trimEnd()}\nFilename: ./${basename(file)}\nSize: ${size}\nSHA256: ${sha256}\n`
}

function release(indexes: Readonly<Record<string, Uint8Array>>): string {
  const lines = Object.entries(indexes).map(
    ([name, bytes]) => ` ${createHash('sha256').update(bytes).digest('hex')} ${bytes.length} ${name}`,
  )
  return `Origin: kubexm\nLabel: kubexm\nSuite: stable\nSHA256:\n${lines.join('\n')}\n`
}
