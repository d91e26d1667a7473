import { defaultLimits, type ExecuteOptions, type Journal } from '../../src/engine/index.ts'
import type { RunEvent } from '../../src/event/index.ts'
import type { Clock } from '../../src/util/time.ts'

/** A run that nobody interrupts, resumes or rolls back. */
export const plainOptions = (journal: Journal, clock: Clock, emit: (event: RunEvent) => void): ExecuteOptions => ({
  run: { id: 'run-1', fence: 1, purgeData: true, skipChecks: [] },
  journal,
  emit,
  limits: defaultLimits,
  clock,
  cancel: new AbortController().signal,
  abandon: new AbortController().signal,
  resume: false,
  rollbackOnFailure: false,
  grace: 0,
  onSecret: () => {},
  ask: async () => null,
})
