// Makes what is published: the console, a bundle per program, and one binary that needs nothing installed.
import { mkdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buildBinary } from './build-binary.ts'
import { buildPrograms } from './build-programs.ts'
import { buildWeb } from './build-web.ts'
import { root } from './run.ts'

const dist = join(root, 'dist')
const console = join(dist, 'console')

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
await buildWeb(console)
await buildPrograms(dist)
const binary = await buildBinary(dist, console)
process.stdout.write(`${binary}: ${Math.round((await stat(binary)).size / 2 ** 20)} MiB\n`)
