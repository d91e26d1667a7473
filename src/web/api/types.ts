// The shapes of the HTTP API: those the server itself answers by. Only their types are taken, so nothing of the server is in the console.
import type * as z from 'zod'
import type {
  acceptedShape,
  clusterDetailShape,
  clusterShape,
  errorShape,
  failureShape,
  graphShape,
  jobShape,
  problemShape,
  sessionShape,
  validationShape,
} from '../../api/schemas.ts'

/** What the server answers is looked at, never changed. */
type Answered<T> = T extends readonly (infer Item)[]
  ? readonly Answered<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Answered<T[Key]> }
    : T
type Shape<S extends z.ZodType> = Answered<z.output<S>>

export type Session = Shape<typeof sessionShape>

/** One thing that is wrong in a config, with its place in the text. */
export type ConfigProblem = Shape<typeof problemShape>
export type Validation = Shape<typeof validationShape>
export type Accepted = Shape<typeof acceptedShape>

export type ShortError = Shape<typeof errorShape>
export type Job = Shape<typeof jobShape>
export type JobStatus = Job['status']

export type Cluster = Shape<typeof clusterShape>
export type ClusterDetail = Shape<typeof clusterDetailShape>
export type Certificate = ClusterDetail['certificates'][number]

/** A page of a list; `next` leads to the page behind. */
export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
}

export type Graph = Shape<typeof graphShape>
export type GraphNode = Graph['nodes'][number]

/** What every answer that is not a success says. */
export type Refusal = Shape<typeof failureShape>

/** An error inside an event: enough to say it in another language. */
export interface ErrorJson extends ShortError {
  readonly where?: { readonly module?: string; readonly task?: string; readonly step?: string; readonly host?: string }
  readonly seen?: string | null
  readonly params?: Readonly<Record<string, string | number>>
}

export interface FindingJson extends ShortError {
  readonly severity: 'warning' | 'error'
  readonly params?: Readonly<Record<string, string | number>>
}

/** An event as the stream carries it: which of the fields are there depends on `type`. */
export interface EventJson {
  readonly type: string
  readonly at: string
  readonly module?: string
  readonly task?: string
  readonly step?: string
  readonly host?: string
  readonly node?: string
  readonly title?: string
  readonly outcome?: string
  readonly ms?: number
  readonly attempt?: number
  readonly changes?: readonly { readonly does: string }[]
  readonly error?: ErrorJson
  readonly errors?: readonly ErrorJson[]
  readonly reason?: string
  readonly stream?: 'stdout' | 'stderr'
  readonly line?: string
  readonly done?: number
  readonly total?: number
  readonly unit?: 'bytes' | 'items'
  readonly finding?: FindingJson
  readonly level?: 'debug' | 'info' | 'warn' | 'error'
  readonly message?: string
  readonly label?: string
  readonly text?: string
  readonly outline?: { readonly nodes: number; readonly hosts: readonly string[] }
}
