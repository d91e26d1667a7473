// Everything: the checks, then the tests that need real servers and real hosts. The last line counts the tests.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cruiseLayers } from './layers.ts'
import { run } from './run.ts'

interface Results {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly success: boolean
}

const write = (text: string): void => void process.stdout.write(text)
const directory = await mkdtemp(join(tmpdir(), 'kubexm-results-'))
let passed = 0
let failed = 0
let skipped = 0

async function check(name: string, ended: Promise<{ code: number; output: string; ms: number }>): Promise<void> {
  const { code, output, ms } = await ended
  write(`${code === 0 ? '✔' : '✘'} ${name} (${(ms / 1000).toFixed(1)} s)\n`)
  if (code === 0) passed++
  else {
    failed++
    write(`${output}\n`)
  }
}

async function tests(project: string): Promise<void> {
  const file = join(directory, `${project}.json`)
  const { code } = await run(
    'vitest',
    ['run', '--project', project, '--passWithNoTests', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    {
      show: true,
    },
  )
  try {
    const results = JSON.parse(await readFile(file, 'utf8')) as Results
    passed += results.numPassedTests
    failed += results.numFailedTests
    skipped += results.numPendingTests + results.numTodoTests
    // A file that does not even load counts no test: the exit code still says that it failed.
    if (code !== 0 && results.numFailedTests === 0) failed++
  } catch {
    failed++
  }
}

await check('types', run('tsc', []))
await check('format and lint', run('biome', ['check', '--error-on-warnings']))
await check('layers', cruiseLayers())
await check('dead code', run('knip', []))
for (const project of process.argv.slice(2).length > 0 ? process.argv.slice(2) : ['fast', 'integration', 'e2e']) await tests(project)
await rm(directory, { recursive: true, force: true })
write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`)
process.exitCode = failed === 0 ? 0 : 1
