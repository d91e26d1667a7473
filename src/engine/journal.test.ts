import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory, testKey } from '../../test/support/engine-run.ts'
import { openJournal } from './journal.ts'

const receipt = (id: string) => ({ kind: 'file', id, does: `write ${id}`, before: { sha256: 'x' }, owned: true })

const withJournal = (use: (file: string) => Promise<void>) => inTemporaryDirectory((directory) => use(join(directory, 'state.jsonl')))

/** A run with two finished nodes, one cut off, a value and a secret. */
async function writeRun(file: string): Promise<void> {
  await using journal = await openJournal(file, testKey)
  await journal.begin({ run: 'r1', pipeline: 'create', digest: 'd' })
  await journal.receipt('a', 1, receipt('/etc/a'))
  await journal.done('a', 'succeeded', 'ha')
  await journal.done('b', 'satisfied', 'hb')
  await journal.slot('endpoint', 'https://x', false)
  await journal.slot('token', 'sesame', true)
  await journal.receipt('c', 3, receipt('/etc/c'))
}

describe('journal', () => {
  it('gives back what was written, secrets included, without showing them on disk', () =>
    withJournal(async (file) => {
      await writeRun(file)
      expect(await readFile(file, 'utf8')).not.toContain('sesame')
      await using journal = await openJournal(file, testKey)
      expect(journal.record).toMatchObject({ run: 'r1', pipeline: 'create', digest: 'd', ended: null })
      expect([...(journal.record?.done ?? [])]).toEqual([
        ['a', 'ha'],
        ['b', 'hb'],
      ])
      expect([...(journal.record?.slots ?? [])]).toEqual([
        ['endpoint', 'https://x'],
        ['token', 'sesame'],
      ])
      expect([...(journal.record?.receipts.keys() ?? [])]).toEqual(['a', 'c'])
    }))

  it('survives a last line cut at any byte, and goes on after it', () =>
    withJournal(async (file) => {
      await writeRun(file)
      const whole = await readFile(file)
      const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1
      for (let length = lastLine; length < whole.length; length++) {
        await writeFile(file, whole.subarray(0, length))
        {
          await using journal = await openJournal(file, testKey)
          expect(journal.record?.done.size).toBe(2)
          expect(journal.record?.receipts.has('c')).toBe(false)
          await journal.done('c', 'succeeded', 'hc')
        }
        await using again = await openJournal(file, testKey)
        expect(again.record?.done.get('c')).toBe('hc')
      }
    }))

  it('refuses damage in the middle, naming the line', () =>
    withJournal(async (file) => {
      await writeRun(file)
      const lines = (await readFile(file, 'utf8')).split('\n')
      lines[2] = '{"t":"rece'
      await writeFile(file, lines.join('\n'))
      await expect(openJournal(file, testKey)).rejects.toThrow(`${file}:3 is not a journal entry`)
    }))

  it('keeps the first receipt of a thing: the second was made when it was half changed', () =>
    withJournal(async (file) => {
      {
        await using journal = await openJournal(file, testKey)
        await journal.begin({ run: 'r1', pipeline: 'p', digest: 'd' })
        await journal.receipt('a', 1, { ...receipt('/x'), before: 'first' })
        await journal.receipt('a', 1, { ...receipt('/x'), before: 'second' })
      }
      await using journal = await openJournal(file, testKey)
      expect(journal.record?.receipts.get('a')?.receipts.map((r) => r.before)).toEqual(['first'])
    }))

  it('starts a new run with a clean page and keeps the old one beside it', () =>
    withJournal(async (file) => {
      await writeRun(file)
      {
        await using journal = await openJournal(file, testKey)
        await journal.begin({ run: 'r2', pipeline: 'delete', digest: 'e' })
      }
      await using journal = await openJournal(file, testKey)
      expect(journal.record).toMatchObject({ run: 'r2', pipeline: 'delete' })
      expect(journal.record?.done.size).toBe(0)
      expect(await readFile(`${file}.previous`, 'utf8')).toContain('"r1"')
    }))

  it('is nothing when it is empty', () =>
    withJournal(async (file) => {
      await appendFile(file, '')
      await truncate(file, 0)
      await using journal = await openJournal(file, testKey)
      expect(journal.record).toBeNull()
    }))
})
