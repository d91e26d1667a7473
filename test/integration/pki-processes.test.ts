// Two commands at once on one work directory must not end with a key of one and a certificate of the other.
import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { createPki, diskStore } from '../../src/pki/index.ts'
import { isKeyOf } from '../../src/pki/inspect.ts'
import { eventually } from '../../src/util/eventually.ts'
import { smallCluster } from '../support/clusters.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'

const program = join(import.meta.dirname, '../support/issue-process.ts')

/** A process that waits for a word before it issues. */
async function waiting(directory: string) {
  const child = spawn(process.execPath, [program, directory], { stdio: ['pipe', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  return child
}

/** Every certificate in a directory, with whether the key beside it is its own. */
async function pairs(directory: string): Promise<Readonly<Record<string, boolean>>> {
  const names = (await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.crt'))
  const fit = names.map(async (name) => {
    const [cert, key] = await Promise.all([name, name.replace(/crt$/, 'key')].map((one) => readFile(join(directory, one), 'utf8')))
    return [name, isKeyOf(new X509Certificate(cert ?? ''), key ?? '')] as const
  })
  return Object.fromEntries(await Promise.all(fit))
}

it('issues the same certificates in all of four processes that start at once', () =>
  inTemporaryDirectory(async (directory) => {
    const children = await Promise.all(Array.from({ length: 4 }, () => waiting(directory)))
    const outputs = children.map((child) => text(child.stdout))
    for (const child of children) child.stdin.write('go\n')
    const said = await Promise.all(outputs)
    expect(new Set(said).size).toBe(1)
    expect(said[0]?.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
    const found = await pairs(directory)
    const { cluster } = smallCluster()
    const alone = createPki({ cluster, store: diskStore({ certs: (of) => join(directory, 'alone', of) }) })
    await alone.issue()
    expect(
      Object.keys(found)
        .map((name) => name.replace(/^certs/, 'alone'))
        .sort(),
    ).toEqual(
      Object.keys(await pairs(directory))
        .filter((name) => name.startsWith('alone'))
        .sort(),
    )
    expect(Object.values(found)).not.toContain(false)
    expect((await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([])
  }))

/** How many files there are below a directory. */
const filesIn = async (directory: string): Promise<number> =>
  (await readdir(directory, { recursive: true }).catch(() => [])).filter((name) => /\.(crt|key|tmp)$/.test(name)).length

it.each([1, 3, 6, 10, 17])('is made whole by the next run when a process is killed after %d files', (count) =>
  inTemporaryDirectory(async (directory) => {
    const child = await waiting(directory)
    const ended = once(child, 'exit')
    child.stdin.write('go\n')
    await eventually(async () => ((await filesIn(directory)) >= count ? true : null), { every: 1, within: 10_000 })
    child.kill('SIGKILL')
    await ended
    const authority = await readFile(join(directory, 'certs/kubernetes/ca.crt'), 'utf8').catch(() => null)
    const open = () => createPki({ cluster: smallCluster().cluster, store: diskStore({ certs: (of) => join(directory, 'certs', of) }) })
    await open().issue()
    expect(await open().pending()).toEqual([])
    // What was there of an authority stays what it is.
    if (authority !== null) expect((await open().authority('kubernetes')).cert).toBe(authority)
    expect(Object.values(await pairs(directory))).not.toContain(false)
    expect((await readdir(directory, { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([])
  }),
)
