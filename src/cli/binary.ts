import { runProcess } from './process.ts'

// The single binary's entry: like main.ts, but without a top-level await, which its format does not have.
void runProcess(process.argv.slice(2))
