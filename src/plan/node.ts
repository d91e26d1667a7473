import type { AnyStep } from '../step/index.ts'
import type { Json } from '../util/json.ts'
import type { Millis } from '../util/time.ts'
import type { HostName } from '../util/where.ts'

/** `etcd.install/etcd.start@node1`: stable across runs, since the journal names nodes by it. */
export type NodeId = string

/** What a node does with its step. */
export type Mode = 'apply' | 'remove'

/** A step on a host: data, but for the step it is bound to. */
export interface StepNode {
  readonly kind: 'step'
  readonly id: NodeId
  readonly needs: readonly NodeId[]
  readonly mode: Mode
  readonly host: HostName
  readonly step: AnyStep
  readonly title: string
  readonly input: Json
  readonly inputHash: string
  readonly timeout: Millis
  readonly module: string
  readonly task: string
}

/** Runs nothing: the joint between two stretches of the graph, so that N nodes before and M after cost N + M edges. */
export interface Milestone {
  readonly kind: 'milestone'
  readonly id: NodeId
  readonly needs: readonly NodeId[]
  readonly module: string
  readonly task: string
  /** At the end of a task the findings of its checks are judged. */
  readonly ends: boolean
}

export type Node = StepNode | Milestone
