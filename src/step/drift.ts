import { isDeepStrictEqual } from 'node:util'
import { type LedgerEntry, newest } from '../ledger/index.ts'
import type { Probe, Reader } from '../runner/index.ts'
import type { Json } from '../util/json.ts'
import { kindNamed } from './generic/kinds.ts'
import type { Kind, Made } from './op.ts'

/** A thing that is not what kubexm made it. */
export interface Drift {
  readonly kind: string
  readonly id: string
  /** What is different, in words: `missing`, `content changed`, `mode is 0644, was 0600`. */
  readonly difference: string
  /** When kubexm made it so, and in which step. */
  readonly since: string
  readonly step: string
}

/** What a host says of the things of its ledger. */
export interface DriftLook {
  /** How many things were looked at. */
  readonly looked: number
  readonly drifted: readonly Drift[]
}

/** What is done to one path may be said by several kinds: only the last word on it counts. */
const pathKinds = new Set(['file', 'edit', 'block'])

/** Asks a host, in one round trip, what has become of all the things its ledger says kubexm made. */
export async function driftOf(on: Reader, entries: readonly LedgerEntry[]): Promise<DriftLook> {
  const lastWord = new Map(entries.filter(({ kind }) => pathKinds.has(kind)).map((entry) => [entry.id, entry.key]))
  const seen = newest(entries).flatMap((entry) => {
    if (entry.desired === undefined || (pathKinds.has(entry.kind) && lastWord.get(entry.id) !== entry.key)) return []
    const look = lookAgain(entry)
    return look === null ? [] : [{ ...look, entry, desired: entry.desired }]
  })
  const states = (await on.inspect(seen.map(({ probe }) => probe))) as readonly Json[]
  const drifted = seen.flatMap(({ kind, entry, desired }, i): readonly Drift[] => {
    const now = states[i] as Json
    if (kind.holds?.(desired, now) ?? contains(now, desired)) return []
    return [{ kind: entry.kind, id: entry.id, difference: differenceOf(desired, now), since: entry.at, step: entry.step }]
  })
  return { looked: seen.length, drifted }
}

/** How a thing of the ledger is looked at once more; null where only a command could tell, or nothing can. */
export function lookAgain(made: Made & { readonly kind: string }): { readonly kind: Kind; readonly probe: Probe } | null {
  const kind = kindNamed(made.kind)
  const probe = kind?.seeAgain?.(made) ?? kind?.probe(made.id) ?? null
  return kind === null || probe === null || (probe.kind === 'command' && kind.isLeft === undefined) ? null : { kind, probe }
}

const partsOf = (value: Json): Readonly<Record<string, Json>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, Json>>) : {}

const contains = (now: Json, desired: Json): boolean =>
  Object.entries(partsOf(desired)).every(([part, value]) => isDeepStrictEqual(partsOf(now)[part], value))

/** Only what was wanted is told, never what is there: it may be anything. */
function differenceOf(desired: Json, now: Json): string {
  const { type, whole } = partsOf(now)
  if (type === 'absent') return 'missing'
  if (whole === false) return 'not whole'
  const parts = Object.entries(partsOf(desired)).filter(([part, value]) => !isDeepStrictEqual(partsOf(now)[part], value))
  return parts
    .map(([part, value]) => (part === 'sha256' || part === 'text' ? 'content changed' : changed(part, value, partsOf(now)[part])))
    .join(', ')
}

const changed = (part: string, was: Json, is: Json | undefined): string => `${part} is ${inWords(is)}, was ${inWords(was)}`

const inWords = (value: Json | undefined): string => {
  if (value === undefined || value === null) return 'nothing'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
