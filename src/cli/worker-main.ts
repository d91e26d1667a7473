#!/usr/bin/env node
// kubexm-worker: `kubexm worker` by a name of its own, for service managers.
import { runCli } from './cli.ts'

process.exitCode = await runCli(['worker', ...process.argv.slice(2)])
