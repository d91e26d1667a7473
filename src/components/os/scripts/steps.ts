import { hostPaths, sh } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { defineStep, needed, satisfied } from '../../../step/index.ts'
import { sha256 } from '../../../util/hash.ts'
import { minutes } from '../../../util/time.ts'

/** Which command of the config; the text itself stays out of the plan, since it may hold a password. */
export type ScriptInput = { readonly list: 'preInstall' | 'postInstall'; readonly number: number; readonly hash: string }

/** A command is known by what it says: a changed one is another one, one that moved in its list is not. */
export const scriptHash = (list: ScriptInput['list'], command: string): string => sha256(`${list}\n${command}`)

const markOf = ({ hash }: ScriptInput): string => `${hostPaths.root}/scripts/${hash}`
const titleOf = ({ list, number }: ScriptInput): string => `Run ${list} command ${number}`

export const runScript = defineStep<ScriptInput>({
  name: 'scripts.run',
  title: titleOf,
  timeout: minutes(15),
  precheck: async (ctx, input) => {
    const [mark] = await ctx.on.inspect([{ kind: 'file', path: markOf(input) }])
    return mark.type === 'file' ? satisfied : needed(titleOf(input))
  },
  run: async (ctx, input) => {
    const command = commandOf(ctx, input)
    await ctx.change({ kind: 'custom', id: markOf(input), does: titleOf(input), before: null, owned: false }, async (on) => {
      await on.run(sh`sh -c ${command}`)
      // The mark comes last: a command that was cut off is run again.
      await on.files.write(markOf(input), '', { mode: '0600' })
    })
  },
  rollback: { irreversible: 'only the author of the command knows how to undo it' },
})

const commandOf = ({ cluster }: StepContext, { list, number }: ScriptInput): string => cluster.spec.system[list][number - 1] ?? ''
