export { lookForTraces, undoTraces } from './clean.ts'
export { composeStep, condition } from './compose.ts'
export { defineCheck, defineStep, waitStep } from './define.ts'
export { type Drift, driftOf } from './drift.ts'
export { hasForeignUnit, unlessForeign } from './foreign-unit.ts'
export { undoThing } from './generic/kinds.ts'
export type { Op } from './op.ts'
export { keptData, ownedThings, toUndo, undoOwned } from './owned.ts'
export {
  type AnyStep,
  type ChangeContext,
  type ChangeLimits,
  needed,
  type Receipt,
  type Step,
  satisfied,
} from './step.ts'
