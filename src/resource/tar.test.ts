import { execFileSync } from 'node:child_process'
import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bytesEntry, listTar, readTar, type TarEntry, writeTar } from './tar.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-tar-'))
})
afterAll(() => rm(directory, { recursive: true, force: true }))

async function pack(entries: readonly TarEntry[]): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of writeTar(entries)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function* cut(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const pathPart = fc.stringMatching(/^[a-z0-9äö._-]{1,60}$/).filter((part) => part !== '.' && part !== '..')
const files = fc.uniqueArray(
  fc.record({
    path: fc.array(pathPart, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/')),
    bytes: fc.uint8Array({ maxLength: 2000 }),
  }),
  {
    selector: ({ path }) => path,
    maxLength: 8,
  },
)

test('what is written is read back, however the stream is cut, and listed in place', async () => {
  const file = join(directory, 'property.tar')
  await fc.assert(
    fc.asyncProperty(files, fc.integer({ min: 1, max: 5000 }), async (given, size) => {
      const packed = await pack(given.map(({ path, bytes }) => bytesEntry(path, bytes)))
      const read: { path: string; bytes: Uint8Array }[] = []
      for await (const member of readTar(cut(packed, size))) {
        const parts: Uint8Array[] = []
        for await (const chunk of member.bytes()) parts.push(Buffer.from(chunk))
        read.push({ path: member.path, bytes: new Uint8Array(Buffer.concat(parts)) })
      }
      expect(read).toEqual(given.map(({ path, bytes }) => ({ path, bytes: new Uint8Array(bytes) })))
      await writeFile(file, packed)
      const handle = await open(file, 'r')
      const listed = await listTar(handle)
      await handle.close()
      expect(
        listed.map(({ path, offset, size: length }) => ({ path, bytes: new Uint8Array(packed.subarray(offset, offset + length)) })),
      ).toEqual(read)
    }),
    { numRuns: 60 },
  )
})

test("tar itself unpacks it: modes, links, long names, and no one's own owner or time", async () => {
  const long = `${'deep/'.repeat(30)}file`
  const target = 'x'.repeat(150)
  const packed = await pack([
    { path: 'dir', mode: 0o1777, content: { type: 'directory' } },
    bytesEntry(long, 'hello', 0o755),
    { path: 'link', mode: 0o777, content: { type: 'symlink', target } },
  ])
  const file = join(directory, 'real.tar')
  await writeFile(file, packed)
  const listing = execFileSync('tar', ['--utc', '-tvf', file], { encoding: 'utf8' })
  expect(listing).toMatch(/^drwxrwxrwt 0\/0 +0 1970-01-01 00:00 dir\/$/m)
  expect(listing).toContain(`-rwxr-xr-x 0/0               5 1970-01-01 00:00 ${long}`)
  expect(listing).toContain(`link -> ${target}`)
})

test("what tar writes is read: pax headers, ustar's split names", async () => {
  const long = `${'p'.repeat(90)}/${'q'.repeat(60)}/${'r'.repeat(120)}`
  execFileSync(
    'sh',
    [
      '-c',
      `mkdir -p "$(dirname ${long})" && echo one > ${long} && echo two > short && tar --format=pax -cf pax.tar ${long} short && rm -r ${long.slice(0, 90)} && mkdir -p ${long.slice(0, 151)} && echo one > ${long.slice(0, 160)} && tar --format=ustar -cf ustar.tar ${long.slice(0, 160)}`,
    ],
    {
      cwd: directory,
    },
  )
  const names = async (file: string): Promise<string[]> => {
    const found: string[] = []
    for await (const member of readTar(cut(await readFile(join(directory, file)), 1000))) found.push(member.path)
    return found
  }
  expect(await names('pax.tar')).toEqual([long, 'short'])
  expect(await names('ustar.tar')).toEqual([long.slice(0, 160)])
})

test('a source that gives fewer bytes than announced is an error, and so is an archive that ends early', async () => {
  const short: TarEntry = { path: 'f', mode: 0o644, content: { type: 'file', size: 10, open: () => cut(Buffer.from('12345'), 5) } }
  await expect(pack([short])).rejects.toThrow('f has 5 bytes, not 10')
  const packed = await pack([bytesEntry('f', Buffer.alloc(5000))])
  const read = async (): Promise<void> => {
    for await (const member of readTar(cut(packed.subarray(0, 3000), 700))) for await (const _ of member.bytes());
  }
  await expect(read()).rejects.toThrow('ends inside f')
})
