import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { errorCatalogue } from '../../scripts/error-catalogue.ts'
import { asKubexmError, type CodeEntry, codes, fail, KubexmError } from './index.ts'

const table: Readonly<Record<string, CodeEntry>> = codes
const parameters = (text: string): readonly string[] =>
  [...new Set([...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] as string))].sort()

/** All sources but tests and the table itself. */
async function sources(directory: string): Promise<string> {
  const files = await readdir(directory, { recursive: true })
  const wanted = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('error/codes'))
  return (await Promise.all(wanted.map((file) => readFile(join(directory, file), 'utf8')))).join('\n')
}

describe('the table of errors', () => {
  it.each(Object.entries(table))('%s says the same in both languages', (_code, { en, zh }) => {
    expect(parameters(zh.problem)).toEqual(parameters(en.problem))
    expect(parameters(zh.fix)).toEqual(parameters(en.fix))
    for (const text of [en.problem, en.cause, en.fix, zh.problem, zh.cause, zh.fix]) expect(text.trim()).not.toBe('')
    expect(zh.problem + zh.cause).toMatch(/\p{Script=Han}/u)
  })

  it('has no code that nothing reports', async () => {
    const code = await sources(join(import.meta.dirname, '..'))
    expect(Object.keys(table).filter((name) => !code.includes(`'${name}'`))).toEqual([])
  })

  it('is what docs/errors.md says', async () => {
    const written = await readFile(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')
    expect(written === errorCatalogue(), 'docs/errors.md is stale: run npm run docs').toBe(true)
  })
})

describe('an error', () => {
  it('fills its texts in either language', () => {
    const error = fail('KX_STEP_TIMEOUT', { title: 'Start etcd', limit: '2 m 00 s' }, { where: { host: 'node1' } })
    expect(error.message).toBe('Start etcd did not finish within 2 m 00 s')
    expect(error.text('zh').problem).toContain('Start etcd')
    expect(error.exitCode).toBe(13)
  })

  it('learns its place on the way up, without losing what it knows', () => {
    const error = fail('KX_COMMAND', { command: 'x', code: 1 }, { where: { host: 'node1' }, seen: 'last line' }).at({
      host: 'other',
      step: 's',
    })
    expect(error.where).toEqual({ host: 'node1', step: 's' })
    expect(error.seen).toBe('last line')
  })

  it('is made of anything that was thrown, keeping the cause', () => {
    const cause = new TypeError('x is undefined')
    const error = asKubexmError(cause)
    expect(error).toBeInstanceOf(KubexmError)
    expect(error).toMatchObject({ code: 'KX_BUG', exitCode: 1, cause })
    expect(asKubexmError(error)).toBe(error)
  })
})
