import type { NodeState } from '../../event/event.ts'
import type { JobStatus } from '../api/types.ts'

/** Pictures as strokes on a square of 16: drawn as SVG in pages and by `Path2D` on canvases. */
export const icons = {
  ring: 'M8 3.2a4.8 4.8 0 1 0 0 9.6a4.8 4.8 0 1 0 0-9.6',
  play: 'M5.2 3.4v9.2l7.4-4.6z',
  check: 'M3.2 8.6l3.3 3.3 6.3-7.2',
  equals: 'M3.8 6.2h8.4M3.8 9.8h8.4',
  skip: 'M3.4 4.2l4 3.8-4 3.8zM8.2 4.2l4 3.8-4 3.8z',
  cross: 'M4 4l8 8M12 4l-8 8',
  bar: 'M3.6 8h8.8M8 2.6a5.4 5.4 0 1 0 0 10.8a5.4 5.4 0 1 0 0-10.8',
  stop: 'M4.4 4.4h7.2v7.2H4.4z',
  back: 'M3.2 6.4h6a3.2 3.2 0 0 1 0 6.4H6M3.2 6.4l2.8-2.8M3.2 6.4l2.8 2.8',
  alarm: 'M8 2.4l6 11H2zM8 6.4v3.4M8 11.6v.3',
  clock: 'M8 2.6a5.4 5.4 0 1 0 0 10.8a5.4 5.4 0 1 0 0-10.8M8 5v3.2l2.2 1.4',
  plus: 'M8 3.4v9.2M3.4 8h9.2',
  minus: 'M3.4 8h9.2',
  fit: 'M2.8 6V2.8H6M10 2.8h3.2V6M13.2 10v3.2H10M6 13.2H2.8V10',
  open: 'M3.2 6l4.8 4.6L12.8 6M3.2 2.6h9.6',
  close: 'M3.2 10l4.8-4.6 4.8 4.6M3.2 13.4h9.6',
  target: 'M8 4.2a3.8 3.8 0 1 0 0 7.6a3.8 3.8 0 1 0 0-7.6M8 1.6v3M8 11.4v3M1.6 8h3M11.4 8h3',
  search: 'M7 2.8a4.2 4.2 0 1 0 0 8.4a4.2 4.2 0 1 0 0-8.4M10.2 10.2l3.4 3.4',
  sun: 'M8 5a3 3 0 1 0 0 6a3 3 0 1 0 0-6M8 1.4v1.4M8 13.2v1.4M1.4 8h1.4M13.2 8h1.4M3.3 3.3l1 1M11.7 11.7l1 1M12.7 3.3l-1 1M4.3 11.7l-1 1',
  moon: 'M13 9.6A5.6 5.6 0 0 1 6.4 3a5.4 5.4 0 1 0 6.6 6.6z',
  contrast: 'M8 2.6a5.4 5.4 0 1 0 0 10.8a5.4 5.4 0 1 0 0-10.8M8 2.6v10.8M10 4v8M11.8 5.6v4.8',
  leave: 'M9.6 3H3.4v10h6.2M7 8h6.4M11 5.4L13.6 8 11 10.6',
  down: 'M8 2.8v8M4.6 7.6L8 11l3.4-3.4M3 13.4h10',
} as const

export type IconName = keyof typeof icons

export const stateIcons: Readonly<Record<NodeState, IconName>> = {
  pending: 'ring',
  running: 'play',
  satisfied: 'equals',
  succeeded: 'check',
  resumed: 'skip',
  failed: 'cross',
  blocked: 'bar',
  cancelled: 'stop',
  'rolled-back': 'back',
  'rollback-failed': 'alarm',
}

/** A job's status is drawn as the state of a node that looks alike. */
export const statusStates: Readonly<Record<JobStatus, NodeState>> = {
  Pending: 'pending',
  Processing: 'running',
  Success: 'succeeded',
  Failed: 'failed',
  Cancelled: 'cancelled',
}
