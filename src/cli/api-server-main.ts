#!/usr/bin/env node
// kubexm-api-server: `kubexm api-server` by a name of its own, for service managers.
import { runProcess } from './process.ts'

await runProcess(['api-server', ...process.argv.slice(2)])
