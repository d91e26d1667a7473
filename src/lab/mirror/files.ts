import { chmod, link, readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { hashFile, writeAtomically, writeFileAtomically, writeHashed } from '../../resource/atomic-file.ts'
import { type CatalogueFile, catalogueFile } from '../../resource/catalogue.ts'
import { fileEntry, writeTar } from '../../resource/tar.ts'
import { type MirrorLayout, mirroredFile } from './layout.ts'
import type { ProgramBuilder } from './programs.ts'
import { type FileRecipe, type ProgramSet, programsOf } from './recipe.ts'
import type { Item, Workshop } from './workshop.ts'

/** A file as its publisher serves it: fetched where that can be done, else made from programs built here. */
export function mirrorFile(workshop: Workshop, builder: ProgramBuilder, recipe: FileRecipe, set: ProgramSet): Item {
  const { layout, catalogue, arch, upstream } = workshop.options
  const file = catalogueFile(catalogue, recipe.file, recipe.version, arch)
  const path = mirroredFile(layout, file.url)
  const isBuilt = async (): Promise<boolean> => recipe.alwaysBuild === true || !(await upstream.reachable())
  const build = async (): Promise<void> => {
    const program = (name: string): string => builder.program(set, name)
    if (file.kind === 'binary') await publishProgram(program(file.name), path)
    else await publishArchive(file, programsOf(set), program, path)
  }
  return {
    id: `file/${file.name}@${file.version}`,
    recipe: { set: set as unknown as Item['recipe'], url: file.url, checksumUrl: file.checksumUrl, programs: file.programs, arch },
    ...(set.standIn === undefined ? {} : { standIn: set.standIn }),
    needs: async () => ((await isBuilt()) ? workshop.ensure(builder.item(set)) : undefined),
    make: async (begin) => {
      if (!(await isBuilt())) begin('downloaded')
      if ((await isBuilt()) || !(await upstream.fetch(file, path))) {
        // Not every release has every file: what its publisher does not have is built after all.
        await workshop.ensure(builder.item(set))
        begin('built')
        await build()
      }
      return [path, ...(await publishChecksums(layout, file, path))]
    },
  }
}

/** The same bytes under a second name: a link, not a copy. */
async function publishProgram(program: string, path: string): Promise<void> {
  await chmod(program, 0o755)
  await writeAtomically(path, (temporary) => link(program, temporary))
}

async function publishArchive(
  file: CatalogueFile,
  programs: readonly string[],
  program: (name: string) => string,
  path: string,
): Promise<void> {
  // What a set does not build (CRI-O's helpers in C) is left out; the set's stand-in note says so.
  const members = [...file.programs].sort().filter((member) => programs.includes(programName(member, file.arch)))
  const entries = await Promise.all(members.map((member) => fileEntry(member, program(programName(member, file.arch)), 0o755)))
  await writeAtomically(path, (temporary) =>
    writeHashed(temporary, Readable.from(writeTar(entries), { objectMode: false }).pipe(createGzip({ level: 4 }))),
  )
}

/** Some publishers put the architecture into a program's name: `flannel-amd64`. */
const programName = (member: string, arch: string): string => basename(member).replace(new RegExp(`-${arch}$`), '')

/** Writes the publisher's own checksum file and a `.sha256` beside the file. */
export async function publishChecksums(
  layout: MirrorLayout,
  file: Pick<CatalogueFile, 'url' | 'checksumUrl' | 'fileName'>,
  path: string,
): Promise<readonly string[]> {
  const { sha256 } = await hashFile(path)
  const places = new Set([`${path}.sha256`, ...(file.checksumUrl === null ? [] : [mirroredFile(layout, file.checksumUrl)])])
  for (const place of places) await writeChecksum(place, sha256, file)
  return [...places].filter((place) => place.startsWith(`${path}.`))
}

async function writeChecksum(place: string, sha256: string, file: Pick<CatalogueFile, 'url' | 'fileName'>): Promise<void> {
  // dl.k8s.io publishes the bare hash; everyone else a line as sha256sum writes it.
  if (new URL(file.url).host === 'dl.k8s.io') return await writeFileAtomically(place, sha256)
  // One list serves all files of a release (SHA256SUMS): the lines of the others stay.
  const others = (await readFile(place, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith(`  ${file.fileName}`))
  await writeFileAtomically(place, `${[...others, `${sha256}  ${file.fileName}`].join('\n')}\n`)
}
