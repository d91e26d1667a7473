import { fail } from '../error/index.ts'
import { hostPaths, type Reader, type Runner } from '../runner/index.ts'
import type { Json } from '../util/json.ts'

/** One thing a run made or changed on a host: enough to put it back without the code or the work directory that did it. */
export interface LedgerEntry {
  /** Names the change: the same one tried again after a crash has the same key, and its first record counts. */
  readonly key: string
  readonly run: string
  readonly step: string
  readonly kind: string
  readonly id: string
  readonly does: string
  readonly before: Json
  /** What it was made: hashes, never contents. */
  readonly desired?: Json
  readonly data?: true
  readonly at: string
}

interface Tombstone {
  readonly undone: readonly string[]
  readonly run: string
}

/** A ledger record as one line. It starts with a line break, so that a line torn by a power loss never swallows the next one. */
export const ledgerLine = (entry: LedgerEntry | Tombstone): string => `\n${JSON.stringify(entry)}\n`

/** What kubexm owns on a host, in the order it was first made. */
export async function readLedger(on: Reader): Promise<readonly LedgerEntry[]> {
  return parseLedger((await on.files.read(hostPaths.ledger)) ?? '', on.host)
}

/** Replays the ledger's lines: entries whose undoing was recorded are gone, of equal keys the first counts. */
export function parseLedger(text: string, host: string): readonly LedgerEntry[] {
  const owned = new Map<string, LedgerEntry>()
  for (const record of recordsIn(text, host)) {
    if ('undone' in record) for (const key of record.undone) owned.delete(key)
    else owned.set(record.key, again(owned.get(record.key), record))
  }
  return [...owned.values()]
}

/** A change that was tried again: it began from where the first try found the host, and what the last try made of it is there now. */
function again(first: LedgerEntry | undefined, last: LedgerEntry): LedgerEntry {
  if (first === undefined) return last
  const { desired: _, ...begun } = first
  return last.desired === undefined ? begun : { ...begun, desired: last.desired }
}

/** The changes that one run has undone, in the order they were first made: what a proof of a clean removal has to look at once more. */
export function undoneIn(text: string, host: string, run: string): readonly LedgerEntry[] {
  const owned = new Map<string, LedgerEntry>()
  const undone = new Map<string, LedgerEntry>()
  const order: string[] = []
  for (const record of recordsIn(text, host)) {
    if (!('undone' in record)) {
      if (!owned.has(record.key)) order.push(record.key)
      owned.set(record.key, again(owned.get(record.key), record))
      undone.delete(record.key)
    } else
      for (const key of record.undone) {
        const entry = owned.get(key)
        owned.delete(key)
        if (entry !== undefined && record.run === run) undone.set(key, entry)
      }
  }
  return [...new Set(order)].flatMap((key) => undone.get(key) ?? [])
}

/** Records that these changes are undone by a run. Written after the undoing: an interrupted one is found and done again. */
export async function recordUndone(on: Runner, run: string, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await on.files.append(hostPaths.ledger, ledgerLine({ undone: keys, run }))
}

/** The state a thing had before kubexm first touched it: of several changes of one thing the oldest. Newest thing first. */
export function originals(entries: readonly LedgerEntry[]): readonly { readonly entry: LedgerEntry; readonly keys: readonly string[] }[] {
  const things = new Map<string, { entry: LedgerEntry; keys: string[] }>()
  for (const entry of entries) {
    const thing = `${entry.kind} ${entry.id}`
    const known = things.get(thing)
    if (known === undefined) things.set(thing, { entry, keys: [entry.key] })
    else known.keys.push(entry.key)
  }
  return [...things.values()].reverse()
}

/** Each thing as it was last made: of several changes of one thing the newest. */
export function newest(entries: readonly LedgerEntry[]): readonly LedgerEntry[] {
  return [...new Map(entries.map((entry) => [`${entry.kind} ${entry.id}`, entry])).values()]
}

function* recordsIn(text: string, host: string): Generator<LedgerEntry | Tombstone> {
  for (const [index, line] of text.split('\n').entries()) {
    const record = line.trim() === '' ? null : parseLine(line, index + 1, host)
    if (record !== null) yield record
  }
}

function parseLine(line: string, number: number, host: string): LedgerEntry | Tombstone | null {
  try {
    return JSON.parse(line) as LedgerEntry | Tombstone
  } catch (cause) {
    // A line cut short is an append that never finished: the change it announced was not made.
    if (!line.endsWith('}')) return null
    throw fail('KX_LEDGER_CORRUPT', { line: number }, { where: { host }, cause })
  }
}
