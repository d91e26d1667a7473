import { mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MirrorLayout, mirrorLayout } from './layout.ts'
import { dropRecord, readRecord, writeRecord } from './record.ts'

let directory: string
let layout: MirrorLayout
let file: string
const recipe = { version: 1 }

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-record-'))
  layout = mirrorLayout(directory)
  file = join(directory, 'output')
  await writeFile(file, 'bytes')
  await writeRecord(layout, 'image/a:1', recipe, { origin: 'built', paths: [file], ms: 1 })
})
afterEach(() => rm(directory, { recursive: true, force: true }))

const made = async (options?: { verify: boolean }): Promise<boolean> => (await readRecord(layout, 'image/a:1', recipe, options)) !== null

test('a whole item counts as made', async () => {
  expect(await made()).toBe(true)
  expect(await made({ verify: true })).toBe(true)
})

test.each([
  ['the file is gone', () => rm(file)],
  ['the file is cut', () => writeFile(file, 'byte')],
  [
    'the file has other bytes and another time',
    async () => {
      await writeFile(file, 'bytez')
      await utimes(file, 1, 1)
    },
  ],
  ['the record is damaged', () => writeFile(join(layout.state, 'image_a_1.json'), '{"id": ')],
  ['it was dropped', () => dropRecord(layout, 'image/a:1')],
])('not made: %s', async (_, damage) => {
  await damage()
  expect(await made()).toBe(false)
})

test('another recipe is another item', async () => {
  expect(await readRecord(layout, 'image/a:1', { version: 2 })).toBeNull()
})

test('a touched file with the same bytes is still whole; damage that hides behind the old time is found by verifying', async () => {
  const { atime, mtime } = await stat(file)
  await utimes(file, 1, 1)
  expect(await made()).toBe(true)
  await writeFile(file, 'bytez')
  await utimes(file, atime, mtime)
  expect(await made({ verify: true })).toBe(false)
})
