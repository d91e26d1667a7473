import type { Command, CommandState } from '../../runner/index.ts'
import type { Json } from '../../util/json.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** What a command made, and the command that takes it away. */
type CommandBefore = { readonly undo: Command | null }

const commandKind: Kind<CommandBefore> = {
  name: 'command',
  probe: () => null,
  undo: async (on, _id, before) => {
    if (before.undo !== null) await on.run(before.undo)
  },
  // Whether a command is undone only its author knows; the undo command fails when it is not.
  isBack: () => true,
}

interface CommandOp {
  /** Names what the command makes, for journal and ledger. */
  readonly id: string
  readonly does: string
  /** Looks without touching: exit code 0 means there is nothing to do. */
  readonly unless: Command
  readonly command: Command
  /** Takes away what the command made; null with the reason beside it where there is nothing to take away. */
  readonly undo: Command | { readonly none: string }
}

/** Runs a command unless another one says that it is not needed. For what no other op can express. */
export function runCommand(spec: CommandOp): Op {
  const undo = typeof spec.undo === 'string' ? spec.undo : null
  return defineOp({
    kind: commandKind,
    id: spec.id,
    does: spec.does,
    probe: { kind: 'command', command: spec.unless },
    ...(undo === null ? { transient: true } : {}),
    isDone: (state: CommandState) => state.code === 0,
    capture: (): CommandBefore & Json => ({ undo }),
    apply: async (on) => {
      await on.run(spec.command)
    },
  })
}

export const commandKinds: readonly Kind<never>[] = [commandKind]
