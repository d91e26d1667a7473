import { asKubexmError } from '../error/index.ts'
import { report, runCli } from './cli.ts'

/** The command as the whole of a process: even what breaks where nobody waits for it is told as an error, and ends it. */
export async function runProcess(args: readonly string[]): Promise<void> {
  process.once('uncaughtException', (thrown) => {
    void report(asKubexmError(thrown), process.env.KUBEXM_LANGUAGE ?? 'en').finally(() => process.exit(1))
  })
  process.exitCode = await runCli(args)
}
