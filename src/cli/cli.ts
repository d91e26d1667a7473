import { Command, CommanderError } from 'commander'
import { asKubexmError, type KubexmError } from '../error/index.ts'
import { version } from '../util/version.ts'

/** Parses the command line and runs the command; gives the exit code. Commands load what they need themselves, so that `version` is quick. */
export async function runCli(args: readonly string[]): Promise<number> {
  const program = new Command('kubexm')
    .description('Turns Linux machines into a production Kubernetes cluster and looks after it for life')
    .version(version, '-V, --version')
    .option('--language <language>', 'language of error messages: en or zh', process.env.KUBEXM_LANGUAGE ?? 'en')
    .showHelpAfterError('(see --help)')
    .showSuggestionAfterError()
    .exitOverride()
  const { registerCommands } = await import('./commands.ts')
  await registerCommands(program, neededGroup(args))
  try {
    await program.parseAsync([...args], { from: 'user' })
    return Number(process.exitCode ?? 0)
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
    return report(asKubexmError(thrown), program.opts<{ language: string }>().language)
  }
}

/** Completion wants all commands; everything else only those that begin as it does. */
function neededGroup(args: readonly string[]): string | null {
  const first = args.find((arg) => !arg.startsWith('-')) ?? 'help'
  return first === 'completion' || first === 'complete' ? null : first
}

/** Tells an error to whoever called the command; gives the exit code. */
export async function report(error: KubexmError, language: string): Promise<number> {
  const { renderError } = await import('../sink/index.ts')
  const columns = process.stderr.columns ?? 100
  process.stderr.write(
    `${renderError(error, { language: language === 'zh' ? 'zh' : 'en', color: process.stderr.isTTY === true, columns })}\n`,
  )
  if (error.code === 'KX_BUG' && process.env.KUBEXM_DEBUG !== undefined)
    process.stderr.write(`${error.cause instanceof Error ? error.cause.stack : ''}\n`)
  return error.exitCode
}
