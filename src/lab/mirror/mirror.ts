import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asKubexmError, type KubexmError } from '../../error/index.ts'
import { type Arch, builtInCatalogue, type Origin } from '../../resource/catalogue.ts'
import type { Catalogue } from '../../resource/catalogue-schema.ts'
import type { Millis } from '../../util/time.ts'
import { defaultWish, type MirrorContents, type MirrorWish, machineArch, mirrorContents } from './contents.ts'
import { mirrorFile } from './files.ts'
import { ImageBuilder } from './images.ts'
import { type MirrorLayout, mirrorLayout } from './layout.ts'
import { packageRepository } from './package-repository.ts'
import { ProgramBuilder } from './programs.ts'
import { type ProgramSet, setId } from './recipe.ts'
import type { MirrorRecord } from './record.ts'
import { type MirrorSource, Upstream } from './upstream.ts'
import { type Item, type MirrorEvent, Workshop } from './workshop.ts'

/** How a mirror is made. */
export interface MirrorOptions {
  readonly wish?: MirrorWish
  readonly layout?: MirrorLayout
  readonly catalogue?: Catalogue
  readonly arch?: Arch
  /** Fetch from the publishers or build; by default whatever this machine can. */
  readonly source?: MirrorSource
  /** Where to fetch from instead of the publishers: another machine's mirror, or a zone. */
  readonly origin?: Origin & { readonly plainHttp?: boolean }
  /** Make only the items it says yes to, with what they are made of. */
  only?(item: string): boolean
  /** Read every file again instead of believing its recorded size and time. */
  readonly verify?: boolean
  readonly signal?: AbortSignal
  onEvent?(event: MirrorEvent): void
}

/** What there is now. */
export interface MirrorReport {
  readonly layout: MirrorLayout
  readonly contents: MirrorContents
  readonly records: readonly MirrorRecord[]
  readonly failed: readonly { readonly item: string; readonly error: KubexmError }[]
  /** How many items had to be made. */
  readonly made: number
  readonly ms: Millis
}

/** Makes what a mirror shall hold and does not yet hold whole. An item that fails does not stop the others. */
export async function makeMirror(options: MirrorOptions = {}): Promise<MirrorReport> {
  const begin = performance.now()
  const layout = options.layout ?? mirrorLayout()
  const catalogue = options.catalogue ?? builtInCatalogue
  const signal = options.signal ?? new AbortController().signal
  let made = 0
  using upstream = new Upstream({
    source: options.source ?? 'auto',
    catalogue,
    origin: options.origin ?? {},
    plainHttp: options.origin?.plainHttp === true,
    signal,
  })
  const workshop = new Workshop({
    layout,
    catalogue,
    upstream,
    arch: options.arch ?? machineArch(),
    verify: options.verify === true,
    signal,
    emit: (event) => {
      if (event.type === 'item.finished') made++
      options.onEvent?.(event)
    },
  })
  const contents = mirrorContents(catalogue, options.wish ?? defaultWish)
  const items = mirrorItems(workshop, contents).filter((item) => options.only?.(item.id) ?? true)
  const settled = await Promise.allSettled(items.map((item) => workshop.ensure(item)))
  signal.throwIfAborted()
  await removeLayers(layout)
  const failed = settled.flatMap((result, i) =>
    result.status === 'rejected' ? [{ item: items[i]?.id ?? '', error: asKubexmError(result.reason) }] : [],
  )
  const records = settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  return { layout, contents, records, failed, made, ms: performance.now() - begin }
}

function mirrorItems(workshop: Workshop, contents: MirrorContents): readonly Item[] {
  const builder = new ProgramBuilder(workshop)
  const images = new ImageBuilder(workshop, builder)
  const sets = new Map(contents.sets.map((set) => [setId(set), set]))
  const setOf = (id: string): ProgramSet => {
    const set = sets.get(id)
    if (set === undefined) throw new RangeError(`${id} is used but not part of the mirror`)
    return set
  }
  return [
    ...contents.servers.map((id) => builder.item(setOf(id))),
    ...contents.files.map((recipe) => mirrorFile(workshop, builder, recipe, setOf(recipe.set))),
    ...contents.images.map((recipe) => images.item(recipe, recipe.set === null ? null : setOf(recipe.set))),
    packageRepository(workshop, contents.packages),
  ]
}

/** Removes this run's layers, and those of runs that were killed. */
async function removeLayers(layout: MirrorLayout): Promise<void> {
  const names = await readdir(layout.work).catch(() => [])
  for (const name of names) {
    const [, pid] = /^layers-(\d+)$/.exec(name) ?? []
    if (pid !== undefined && (Number(pid) === process.pid || !isAlive(Number(pid))))
      await rm(join(layout.work, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
