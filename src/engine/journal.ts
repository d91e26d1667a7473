import { fail } from '../error/index.ts'
import type { NodeState, Outcome } from '../event/index.ts'
import type { NodeId } from '../plan/index.ts'
import type { Receipt } from '../step/index.ts'
import type { Json } from '../util/json.ts'
import type { SealingKey } from '../util/sealing.ts'
import { type JournalFile, journalOnDisk } from './journal-file.ts'

/** The lines of the journal. */
type Entry =
  | { readonly t: 'run'; readonly run: string; readonly pipeline: string; readonly digest: string; readonly at: string }
  /** `o` tells when the node was started, as a number in the order of starts. */
  | { readonly t: 'receipt'; readonly n: NodeId; readonly o: number; readonly r: Receipt }
  | { readonly t: 'slot'; readonly k: string; readonly v: Json; readonly sealed: boolean }
  | { readonly t: 'done'; readonly n: NodeId; readonly s: NodeState; readonly h: string }
  | { readonly t: 'undone'; readonly n: NodeId }
  | { readonly t: 'end'; readonly outcome: Outcome }

/** The changes of one node, and when it was started: a number in the order of starts. */
export interface NodeReceipts {
  readonly order: number
  readonly receipts: readonly Receipt[]
}

/** What a journal says about its run. */
export interface RunRecord {
  readonly run: string
  readonly pipeline: string
  readonly digest: string
  readonly ended: Outcome | null
  /** Finished nodes with the hash of the input they had. */
  readonly done: ReadonlyMap<NodeId, string>
  /** Changes made and not undone, by node. */
  readonly receipts: ReadonlyMap<NodeId, NodeReceipts>
  readonly slots: ReadonlyMap<string, Json>
}

/** Remembers a run: written and synced before a change is made and after it, so that a crash at any moment can be continued. */
export interface Journal extends AsyncDisposable {
  /** What is there from an earlier process, or null where there is nothing. */
  readonly record: RunRecord | null
  begin(run: { readonly run: string; readonly pipeline: string; readonly digest: string }): Promise<void>
  receipt(node: NodeId, order: number, receipt: Receipt): Promise<void>
  slot(address: string, value: Json, secret: boolean): Promise<void>
  done(node: NodeId, state: NodeState, inputHash: string): Promise<void>
  undone(node: NodeId): Promise<void>
  end(outcome: Outcome): Promise<void>
}

/** Opens the journal of a cluster. A last line that was cut short by a crash is dropped; damage elsewhere is an error. */
export async function openJournal(file: string, key: SealingKey, keep = journalOnDisk): Promise<Journal> {
  const kept = await keep(file)
  const text = await kept.read()
  const { entries, length } = parse(text, file)
  if (length < Buffer.byteLength(text)) await kept.truncate(length)
  const record = replay(entries, key)
  const writer = new GroupedWriter(kept, file)
  const write = (entry: Entry, sync: boolean): Promise<void> => writer.append(`${JSON.stringify(entry)}\n`, sync)
  return {
    record,
    begin: async ({ run, pipeline, digest }) => {
      if (record !== null && record.run !== run) await kept.restart()
      await write({ t: 'run', run, pipeline, digest, at: new Date().toISOString() }, true)
    },
    receipt: (n, o, r) => write({ t: 'receipt', n, o, r }, true),
    slot: (k, value, secret) => write({ t: 'slot', k, v: secret ? key.seal(JSON.stringify(value)) : value, sealed: secret }, true),
    // A node that changed nothing need not reach the disk at once: lost, it is looked at again.
    done: (n, s, h) => {
      const entry = { t: 'done', n, s, h } satisfies Entry
      if (s !== 'satisfied') return write(entry, true)
      writer.later(`${JSON.stringify(entry)}\n`)
      return Promise.resolve()
    },
    undone: (n) => write({ t: 'undone', n }, true),
    end: (outcome) => write({ t: 'end', outcome }, true),
    [Symbol.asyncDispose]: async () => {
      await writer.flush()
      await kept.close()
    },
  }
}

/** Many nodes finish at once: their lines share one write and one sync. */
class GroupedWriter {
  readonly #kept: JournalFile
  readonly #file: string
  #buffer = ''
  #flushing: Promise<void> | null = null
  #next: Promise<void> | null = null
  #broken: unknown = null

  constructor(kept: JournalFile, file: string) {
    this.#kept = kept
    this.#file = file
  }

  later(line: string): void {
    this.#buffer += line
    // Not left in memory for long: a watcher of the file sees progress, and a crash loses little.
    if (this.#buffer.length > 1 << 20) void this.#turn().catch(() => undefined)
  }

  append(line: string, sync: boolean): Promise<void> {
    this.#buffer += line
    return sync ? this.#turn() : Promise.resolve()
  }

  async flush(): Promise<void> {
    if (this.#broken === null) await this.#turn()
  }

  /** The write that will carry what is in the buffer now: the running one is too early, so the one after it. */
  #turn(): Promise<void> {
    if (this.#flushing === null) {
      this.#flushing = this.#write().finally(() => {
        this.#flushing = null
      })
      return this.#flushing
    }
    if (this.#next === null) {
      this.#next = this.#flushing
        .catch(() => undefined)
        .then(() => {
          this.#next = null
          return this.#turn()
        })
    }
    return this.#next
  }

  async #write(): Promise<void> {
    // After a failed write nothing more is journaled, so nothing more is changed: the journal never has a hole.
    if (this.#broken !== null) throw this.#failure(this.#broken)
    const lines = this.#buffer
    this.#buffer = ''
    try {
      await this.#kept.append(lines)
    } catch (cause) {
      this.#broken = cause
      throw this.#failure(cause)
    }
  }

  #failure(cause: unknown): Error {
    return fail('KX_JOURNAL_WRITE', { file: this.#file, why: cause instanceof Error ? cause.message : String(cause) }, { cause })
  }
}

function parse(text: string, file: string): { readonly entries: readonly Entry[]; readonly length: number } {
  const entries: Entry[] = []
  let length = 0
  const lines = text.split('\n')
  for (const [i, line] of lines.entries()) {
    const last = i === lines.length - 1
    if (last) break // what follows the last line break was cut short, or is nothing
    try {
      entries.push(JSON.parse(line) as Entry)
    } catch (cause) {
      // Only the end can be torn by a crash.
      if (i === lines.length - 2) break
      throw fail('KX_JOURNAL_CORRUPT', { file, line: i + 1 }, { cause })
    }
    length += Buffer.byteLength(line) + 1
  }
  return { entries, length }
}

function replay(entries: readonly Entry[], key: SealingKey): RunRecord | null {
  let run: Extract<Entry, { t: 'run' }> | null = null
  let ended: Outcome | null = null
  const done = new Map<NodeId, string>()
  const receipts = new Map<NodeId, NodeReceipts>()
  const slots = new Map<string, Json>()
  for (const entry of entries) {
    switch (entry.t) {
      case 'run':
        run = entry
        ended = null
        break
      case 'receipt':
        addReceipt(receipts, entry.n, entry.o, entry.r)
        break
      case 'slot':
        slots.set(entry.k, entry.sealed ? (JSON.parse(key.open(String(entry.v))) as Json) : entry.v)
        break
      case 'done':
        done.set(entry.n, entry.h)
        break
      case 'undone':
        done.delete(entry.n)
        receipts.delete(entry.n)
        break
      case 'end':
        ended = entry.outcome
    }
  }
  return run === null ? null : { run: run.run, pipeline: run.pipeline, digest: run.digest, ended, done, receipts, slots }
}

/** Of two receipts of one thing the first tells how it was before: the second was made by a try that found it half changed. */
export function addReceipt(all: Map<NodeId, NodeReceipts>, node: NodeId, order: number, receipt: Receipt): void {
  const known = all.get(node)?.receipts ?? []
  const repeated = receipt.kind !== 'custom' && known.some((r) => r.kind === receipt.kind && r.id === receipt.id)
  all.set(node, { order, receipts: repeated ? known : [...known, receipt] })
}
