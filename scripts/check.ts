// The quick look at everything that needs no host: format, lint, types, layers, dead code, unit and conformance tests.
import { cruiseLayers } from './layers.ts'
import { type Ended, run } from './run.ts'

interface Check {
  readonly name: string
  readonly run: () => Promise<Ended>
}

/** The longest comes first: the others fill what it leaves of the cores. */
const checks: readonly Check[] = [
  { name: 'unit and conformance tests', run: () => run('vitest', ['run', '--project', 'fast']) },
  { name: 'types', run: () => run('tsc', []) },
  { name: 'types of the console', run: () => run('tsc', ['-p', 'src/web']) },
  { name: 'format and lint', run: () => run('biome', ['check', '--error-on-warnings']) },
  { name: 'layers', run: cruiseLayers },
  { name: 'dead code', run: () => run('knip', []) },
]

const write = (text: string): void => void process.stdout.write(text)
const started = Date.now()
const queue = [...checks]
let failed = 0

/** Two at a time: the tests alone fill both cores of a small machine, the rest fits beside them. */
async function work(): Promise<void> {
  for (let check = queue.shift(); check !== undefined; check = queue.shift()) {
    const { code, output, ms } = await check.run()
    write(`${code === 0 ? '✔' : '✘'} ${check.name} (${(ms / 1000).toFixed(1)} s)\n`)
    if (code !== 0) {
      failed++
      write(`${output}\n`)
    }
  }
}

await Promise.all([work(), work()])
write(`${failed === 0 ? 'all checks passed' : `${failed} checks failed`} in ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
process.exitCode = failed === 0 ? 0 : 1
