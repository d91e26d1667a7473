import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { fail } from '../../error/index.ts'
import { writeFileAtomically } from '../../resource/atomic-file.ts'
import { type DebianPackage, fetchPackages, resolvePackages } from './debian.ts'
import { run } from './process.ts'
import type { Item, Workshop } from './workshop.ts'

/** The distribution's packages as a flat repository: `deb [trusted=yes] http://mirror/packages ./`. */
export function packageRepository(workshop: Workshop, names: readonly string[]): Item {
  const { layout, signal } = workshop.options
  return {
    id: 'packages',
    recipe: { packages: names },
    make: async (begin) => {
      begin('packaged')
      const packages = await resolvePackages(names, { signal })
      const files = await fetchPackages(packages, layout.packages, { signal })
      const index = (await Promise.all(files.map((file, i) => stanza(file, packages[i])))).join('\n')
      const indexes = { Packages: Buffer.from(index), 'Packages.gz': gzipSync(index) }
      for (const [name, bytes] of Object.entries(indexes)) await writeFileAtomically(join(layout.packages, name), bytes)
      await writeFileAtomically(join(layout.packages, 'Release'), release(indexes))
      return [...files, ...['Packages', 'Packages.gz', 'Release'].map((name) => join(layout.packages, name))]
    },
  }
}

/** A package's own description with what an index adds to it. */
async function stanza(file: string, known: DebianPackage | undefined): Promise<string> {
  const { code, stdout, tail } = await run(['dpkg-deb', '-f', file])
  if (code !== 0 || known === undefined)
    throw fail('KX_MIRROR_PACKAGES', { packages: basename(file), why: 'dpkg-deb cannot read it' }, { seen: tail })
  return `${stdout.trimEnd()}\nFilename: ./${basename(file)}\nSize: ${known.size}\nSHA256: ${known.sha256}\n`
}

function release(indexes: Readonly<Record<string, Uint8Array>>): string {
  const lines = Object.entries(indexes).map(
    ([name, bytes]) => ` ${createHash('sha256').update(bytes).digest('hex')} ${bytes.length} ${name}`,
  )
  return `Origin: kubexm\nLabel: kubexm mirror\nSuite: stable\nSHA256:\n${lines.join('\n')}\n`
}
