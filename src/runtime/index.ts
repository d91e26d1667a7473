export type { Host, PlanContext, RunInfo, StepContext } from './context.ts'
export { type WorkPaths, workPaths } from './paths.ts'
export { planContext } from './plan-context.ts'
export { type AnySlot, type Slot, type SlotScope, slot, slotAddress } from './slot.ts'
