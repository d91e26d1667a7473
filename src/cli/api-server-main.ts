#!/usr/bin/env node
// kubexm-api-server: `kubexm api-server` by a name of its own, for service managers.
import { runCli } from './cli.ts'

process.exitCode = await runCli(['api-server', ...process.argv.slice(2)])
