#!/usr/bin/env node
// kubexm-worker: `kubexm worker` by a name of its own, for service managers.
import { runProcess } from './process.ts'

await runProcess(['worker', ...process.argv.slice(2)])
