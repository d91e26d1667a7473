/** Writes docs/config.md and the list of fields no code reads yet. With --check it only tells whether they are fresh. */
import { readFileSync, writeFileSync } from 'node:fs'
import { renderConfigDocs } from '../src/config/docs.ts'
import { codeOutsideConfig, findUnused, renderUnusedFields } from '../src/config/field-use.ts'

const root = new URL('..', import.meta.url).pathname
const isCheck = process.argv.includes('--check')
const stale: string[] = []

function put(file: string, text: string): void {
  const path = `${root}${file}`
  let old = ''
  try {
    old = readFileSync(path, 'utf8')
  } catch {
    // A file that is not there yet is as stale as one with other content.
  }
  if (old === text) return
  stale.push(file)
  if (!isCheck) writeFileSync(path, text)
}

const unused = findUnused(codeOutsideConfig(`${root}src`))
put('src/config/unused-fields.ts', renderUnusedFields(unused))
put('docs/config.md', renderConfigDocs(unused))

process.stdout.write(stale.length === 0 ? 'docs/config.md is fresh\n' : `${isCheck ? 'stale' : 'written'}: ${stale.join(', ')}\n`)
process.exitCode = isCheck && stale.length > 0 ? 1 : 0
