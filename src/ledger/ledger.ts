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
  readonly data?: true
  readonly at: string
}

interface Tombstone {
  readonly undone: readonly string[]
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
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const record = parseLine(line, index + 1, host)
    if (record === null) continue
    if ('undone' in record) for (const key of record.undone) owned.delete(key)
    else if (!owned.has(record.key)) owned.set(record.key, record)
  }
  return [...owned.values()]
}

/** Records that these changes are undone. Written after the undoing: an interrupted one is found and done again. */
export async function recordUndone(on: Runner, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await on.files.append(hostPaths.ledger, ledgerLine({ undone: keys }))
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

function parseLine(line: string, number: number, host: string): LedgerEntry | Tombstone | null {
  try {
    return JSON.parse(line) as LedgerEntry | Tombstone
  } catch (cause) {
    // A line cut short is an append that never finished: the change it announced was not made.
    if (!line.endsWith('}')) return null
    throw fail('KX_LEDGER_CORRUPT', { line: number }, { where: { host }, cause })
  }
}
