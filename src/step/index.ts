export { type Condition, composeStep, condition } from './compose.ts'
export { defineCheck, defineStep, waitStep } from './define.ts'
export { undoReceipts, undoThing } from './generic/kinds.ts'
export { defineOp, type Kind, type Op } from './op.ts'
export { ownedThings, toUndo, undoOwned } from './owned.ts'
export {
  type AnyStep,
  type ChangeContext,
  type ChangeLimits,
  type LockName,
  needed,
  type Precheck,
  type Receipt,
  type Removal,
  type Step,
  satisfied,
  type Undo,
  type UndoContext,
} from './step.ts'
