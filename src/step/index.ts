export { composeStep, condition } from './compose.ts'
export { defineCheck, defineStep, waitStep } from './define.ts'
export { undoThing } from './generic/kinds.ts'
export type { Op } from './op.ts'
export { ownedThings, toUndo, undoOwned } from './owned.ts'
export {
  type AnyStep,
  type ChangeContext,
  type ChangeLimits,
  needed,
  type Receipt,
  type Step,
  satisfied,
} from './step.ts'
