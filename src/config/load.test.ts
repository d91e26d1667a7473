import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { loadCluster } from './load.ts'

const directory = mkdtempSync(join(tmpdir(), 'kubexm-load-'))
afterAll(() => rmSync(directory, { recursive: true }))
const write = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}

it('gives a cluster', async () => expect((await loadCluster(write('a.yaml', configText()))).metadata.name).toBe('test'))

it('throws one error with all problems, and exit code 10', async () => {
  const file = write('b.yaml', configText({ kind: 'Node', 'spec.etcd.maxWals': -1 }))
  const error = await loadCluster(file).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'KX_CONFIG', exitCode: 10, message: `${file} has 2 errors` })
  expect((error as { seen: string }).seen).toMatch(/KX_CONFIG_ENUM {2}.*b\.yaml:2:7[\s\S]*\^\^\^\^[\s\S]*KX_CONFIG_NUMBER/)
})

it.each([
  ['a file that is not there', 'none.yaml'],
  ['a directory', '.'],
])('throws for %s', async (_, name) =>
  expect(loadCluster(join(directory, name))).rejects.toMatchObject({ code: 'KX_CONFIG_UNREADABLE', exitCode: 10 }),
)

it('does not read a file that is far too large', async () => {
  await expect(loadCluster(write('c.yaml', 'a: '.padEnd(10_000_000, 'b')))).rejects.toMatchObject({
    code: 'KX_CONFIG',
    seen: expect.stringContaining('KX_CONFIG_TOO_LARGE'),
  })
})
