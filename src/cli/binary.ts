import { runCli } from './cli.ts'

// The single binary's entry: like main.ts, but without a top-level await, which its format does not have.
void runCli(process.argv.slice(2)).then((code) => {
  process.exitCode = code
})
