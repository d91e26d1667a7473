import { parseLedger } from '../ledger/index.ts'
import { type CommandState, hostPaths, lines, sh } from '../runner/index.ts'
import type { StepContext } from '../runtime/index.ts'
import { type Condition, condition } from './compose.ts'

const unitAndLedger = (unit: string) =>
  ({ kind: 'command', command: lines(sh`systemctl is-enabled ${unit}`, sh`cat -- ${hostPaths.ledger}`) }) as const

/** A unit that is there and that the ledger of the host does not name is somebody else's. */
function isForeign(unit: string, { stdout }: CommandState): boolean {
  const [, state = '', ledger = ''] = /^([a-z-]*\n)?([\s\S]*)$/.exec(stdout) ?? []
  return !['', 'not-found'].includes(state.trim()) && !parseLedger(ledger, '').some(({ id }) => id.endsWith(unit))
}

/** Whether a host has a unit of this name that kubexm did not put there. */
export const hasForeignUnit = async (ctx: StepContext, unit: string): Promise<boolean> =>
  isForeign(unit, (await ctx.on.inspect([unitAndLedger(unit)]))[0])

/** For steps that leave a host alone where somebody else's unit of this name is. */
export const unlessForeign = (unit: string): Condition => condition(unitAndLedger(unit), (state) => !isForeign(unit, state))
