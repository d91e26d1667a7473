import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { hashFile, writeFileAtomically } from '../../resource/atomic-file.ts'
import { hashOf } from '../../util/hash.ts'
import type { Json } from '../../util/json.ts'
import { readJson } from '../record.ts'
import type { MirrorLayout } from './layout.ts'

/** A file the mirror made, and what it was when it was made. */
export interface Output {
  readonly path: string
  readonly sha256: string
  readonly size: number
  readonly mtimeMs: number
}

/** How an item came into the mirror. */
export type Origin = 'built' | 'downloaded' | 'packaged'

/** The proof that an item is made: kept beside the mirror, written last. */
export interface MirrorRecord {
  readonly id: string
  /** Hash of the recipe: a changed recipe is made again. */
  readonly recipe: string
  readonly origin: Origin
  readonly outputs: readonly Output[]
  readonly madeAt: string
  readonly ms: number
  readonly standIn?: string
}

const recordFile = (layout: MirrorLayout, id: string): string => join(layout.state, `${id.replaceAll('/', '_').replaceAll(':', '_')}.json`)

/** The record of an item that is whole on the disk, or null: then it must be made (again). */
export async function readRecord(
  layout: MirrorLayout,
  id: string,
  recipe: Json,
  options: { verify?: boolean } = {},
): Promise<MirrorRecord | null> {
  // A record that is missing or damaged proves nothing: the item is made again.
  const record = await readJson<MirrorRecord>(recordFile(layout, id))
  if (record === null || record.recipe !== hashOf(recipe)) return null
  const checked = await Promise.all(record.outputs.map((output) => isIntact(output, options.verify === true)))
  return checked.every(Boolean) ? record : null
}

/** Writes the record of outputs that are in place; only after this does the item count as made. */
export async function writeRecord(
  layout: MirrorLayout,
  id: string,
  recipe: Json,
  made: { readonly origin: Origin; readonly paths: readonly string[]; readonly ms: number; readonly standIn?: string },
): Promise<MirrorRecord> {
  const outputs = await Promise.all(made.paths.map(describeOutput))
  const record: MirrorRecord = {
    id,
    recipe: hashOf(recipe),
    origin: made.origin,
    outputs,
    madeAt: new Date().toISOString(),
    ms: Math.round(made.ms),
    ...(made.standIn === undefined ? {} : { standIn: made.standIn }),
  }
  await writeFileAtomically(recordFile(layout, id), `${JSON.stringify(record, null, 2)}\n`)
  return record
}

/** Forgets an item: its record first, so that a half-removed one never counts as made. */
export async function dropRecord(layout: MirrorLayout, id: string): Promise<void> {
  await rm(recordFile(layout, id), { force: true })
}

async function describeOutput(path: string): Promise<Output> {
  const [{ sha256, size }, { mtimeMs }] = await Promise.all([hashFile(path), stat(path)])
  return { path, sha256, size, mtimeMs }
}

/** Size and time are believed when they are as recorded; a file that was touched is read again, and so is every file when asked to. */
async function isIntact(output: Output, verify: boolean): Promise<boolean> {
  const found = await stat(output.path).catch(() => null)
  if (found === null || found.size !== output.size) return false
  if (!verify && found.mtimeMs === output.mtimeMs) return true
  return (await hashFile(output.path)).sha256 === output.sha256
}
