import { join } from 'node:path'
import { asKubexmError, type KubexmError } from '../../error/index.ts'
import type { Arch } from '../../resource/catalogue.ts'
import type { Catalogue } from '../../resource/catalogue-schema.ts'
import { withFileLock } from '../../resource/file-lock.ts'
import type { Json } from '../../util/json.ts'
import type { Millis } from '../../util/time.ts'
import type { MirrorLayout } from './layout.ts'
import { dropRecord, type MirrorRecord, type Origin, readRecord, writeRecord } from './record.ts'
import type { Upstream } from './upstream.ts'

/** What the making of a mirror tells: an item is a program set, a file, an image or the packages. */
export type MirrorEvent =
  | { readonly type: 'item.ready'; readonly item: string }
  | { readonly type: 'item.waiting'; readonly item: string }
  | { readonly type: 'item.started'; readonly item: string; readonly how: Origin }
  | { readonly type: 'item.line'; readonly item: string; readonly line: string }
  | { readonly type: 'item.finished'; readonly item: string; readonly ms: Millis; readonly bytes: number; readonly standIn?: string }
  | { readonly type: 'item.failed'; readonly item: string; readonly error: KubexmError }
  | { readonly type: 'note'; readonly message: string }

/** One thing the mirror makes. */
export interface Item {
  readonly id: string
  /** Everything that decides the result: when it changes the item is made again. */
  readonly recipe: Json
  readonly standIn?: string
  /** Other items this one is made of; awaited before any lock is taken. */
  needs?(): Promise<unknown>
  /** Makes it and gives the files that are now in place; calls `begin` when it stops waiting for its turn, and again if it must take another way. */
  make(begin: (how: Origin) => void): Promise<readonly string[]>
}

/** The surroundings every maker needs. */
export interface WorkshopOptions {
  readonly layout: MirrorLayout
  readonly catalogue: Catalogue
  readonly arch: Arch
  readonly verify: boolean
  readonly upstream: Upstream
  readonly signal: AbortSignal
  emit(event: MirrorEvent): void
}

/** Makes each item at most once, in this process and on this machine, and believes only what is recorded. */
export class Workshop {
  readonly options: WorkshopOptions
  readonly #items = new Map<string, Promise<MirrorRecord>>()

  constructor(options: WorkshopOptions) {
    this.options = options
  }

  /** The item, made if need be; asking twice costs nothing. */
  ensure(item: Item): Promise<MirrorRecord> {
    const known = this.#items.get(item.id)
    if (known !== undefined) return known
    const promised = this.#ensure(item)
    this.#items.set(item.id, promised)
    return promised
  }

  async #ensure(item: Item): Promise<MirrorRecord> {
    const { layout, verify, signal, emit } = this.options
    const ready = await readRecord(layout, item.id, item.recipe, { verify })
    if (ready !== null) {
      emit({ type: 'item.ready', item: item.id })
      return ready
    }
    try {
      await item.needs?.()
      const lock = join(layout.state, 'locks', item.id.replaceAll(/[/:]/g, '_'))
      return await withFileLock(lock, { signal, onWait: () => emit({ type: 'item.waiting', item: item.id }) }, () => this.#make(item))
    } catch (error) {
      const told = asKubexmError(error)
      if (!signal.aborted) emit({ type: 'item.failed', item: item.id, error: told })
      throw told
    }
  }

  async #make(item: Item): Promise<MirrorRecord> {
    const { layout, verify, emit } = this.options
    // Another process may have made it while this one waited for the lock.
    const made = await readRecord(layout, item.id, item.recipe, { verify })
    if (made !== null) {
      emit({ type: 'item.ready', item: item.id })
      return made
    }
    await dropRecord(layout, item.id)
    const turn: { began: Millis; origin: Origin } = { began: performance.now(), origin: 'built' }
    const paths = await item.make((how) => {
      turn.began = performance.now()
      turn.origin = how
      emit({ type: 'item.started', item: item.id, how })
    })
    const { origin } = turn
    const ms = performance.now() - turn.began
    const standIn = item.standIn === undefined || origin === 'downloaded' ? {} : { standIn: item.standIn }
    const record = await writeRecord(layout, item.id, item.recipe, { origin, paths, ms, ...standIn })
    emit({ type: 'item.finished', item: item.id, ms, bytes: record.outputs.reduce((sum, output) => sum + output.size, 0), ...standIn })
    return record
  }
}
