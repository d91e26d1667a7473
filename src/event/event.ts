import type { KubexmError } from '../error/index.ts'
import type { Millis } from '../util/time.ts'
import type { Where } from '../util/where.ts'

/** The life of a node in a run: what it may be before, while and after it runs. */
export const nodeStates = [
  'pending',
  'running',
  'satisfied',
  'succeeded',
  'resumed',
  'failed',
  'blocked',
  'cancelled',
  'rolled-back',
  'rollback-failed',
] as const

export type NodeState = (typeof nodeStates)[number]

export type Outcome = 'success' | 'failed' | 'cancelled'
export type Level = 'debug' | 'info' | 'warn' | 'error'

/** What a check found wrong on a host. */
export interface Finding {
  readonly severity: 'warning' | 'error'
  readonly code: string
  readonly problem: string
  readonly fix: string
  /** The values in its words, so that they can be said in another language. */
  readonly params?: Readonly<Record<string, string | number>>
}

/** One thing a step would change or has changed, in words. */
export interface Change {
  readonly does: string
}

/** The shape of a run, told once at its start, so that a sink can show what is still to come. */
export interface Outline {
  readonly nodes: number
  readonly hosts: readonly string[]
  /** In the order of the plan. */
  readonly modules: readonly { readonly name: string; readonly tasks: readonly { readonly name: string; readonly steps: number }[] }[]
  /** The longest chain of nodes: what the estimate of the remaining time is made from. */
  readonly criticalPath: readonly string[]
}

/** A step of the critical path as it was run. */
export interface PathStep {
  readonly title: string
  readonly host: string
  readonly ms: Millis
}

/** Everything a run tells the world. Terminal, JSON log, metrics and job store are consumers of this one stream. */
export type RunEvent = Where & { readonly at: Date } & (
    | { readonly type: 'pipeline.started'; readonly outline: Outline }
    | { readonly type: 'task.started' | 'step.started'; readonly title: string; readonly node?: string }
    | {
        readonly type: 'step.retrying'
        readonly node: string
        readonly title: string
        readonly attempt: number
        readonly error: KubexmError
      }
    | {
        readonly type: 'task.finished' | 'step.finished'
        readonly title: string
        readonly node?: string
        readonly outcome: NodeState
        readonly ms: Millis
        readonly changes?: readonly Change[]
        readonly error?: KubexmError
      }
    /** The run was asked to stop: what runs ends or is undone, nothing new starts. */
    | { readonly type: 'pipeline.cancelling'; readonly reason: string }
    | {
        readonly type: 'pipeline.finished'
        readonly outcome: Outcome
        readonly ms: Millis
        readonly errors: readonly KubexmError[]
        /** The chain of steps that decided how long it took, with what each of them took. */
        readonly criticalPath?: readonly PathStep[]
      }
    /** Something people want to know when all is over, such as where the API is: it belongs into the summary. */
    | { readonly type: 'result'; readonly label: string; readonly text: string }
    /** A host is given up for the rest of the run, which goes on without it. */
    | { readonly type: 'host.lost'; readonly error: KubexmError }
    | { readonly type: 'step.line'; readonly stream: 'stdout' | 'stderr'; readonly line: string }
    | { readonly type: 'step.progress'; readonly done: number; readonly total: number; readonly unit: 'bytes' | 'items' }
    | { readonly type: 'finding'; readonly finding: Finding }
    | { readonly type: 'note'; readonly level: Level; readonly message: string }
  )

/** A consumer of events. `accept` must not throw and must not wait; `flush` is awaited at the end of a run. */
export interface Sink {
  /** Used when the sink itself has to be spoken of: when it fails. */
  readonly name?: string
  accept(event: RunEvent): void
  flush?(): Promise<void>
}
