import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkHostKey, type HostKeyFiles, knownKeyTypes } from './host-keys.ts'

const blob = (type: string, body: string): Buffer => {
  const field = (text: string): Buffer => Buffer.concat([Buffer.from([0, 0, 0, text.length]), Buffer.from(text)])
  return Buffer.concat([field(type), field(body)])
}
const line = (name: string, key: Buffer, marker = ''): string =>
  `${marker}${name} ${key.subarray(4, 4 + key.readUInt32BE(0))} ${key.toString('base64')}\n`
const [first, second, rsa] = [blob('ssh-ed25519', 'first'), blob('ssh-ed25519', 'second'), blob('ssh-rsa', 'rsa')]

let directory: string
let files: HostKeyFiles
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kxtest-keys-'))
  files = { knownHosts: [join(directory, 'known_hosts')], pinFile: join(directory, 'work', 'pins') }
})
afterEach(() => rmSync(directory, { recursive: true }))

describe('a host key', () => {
  it('is pinned once, known from then on, and refused when it changes', async () => {
    expect(await checkHostKey(files, 'node1', 22, first)).toBe('pinned')
    expect(await checkHostKey(files, 'node1', 22, first)).toBe('known')
    await expect(checkHostKey(files, 'node1', 22, second)).rejects.toMatchObject({
      code: 'KX_HOST_KEY_CHANGED',
      params: { file: files.pinFile, line: 1 },
    })
    expect(await checkHostKey(files, 'node1', 2222, second)).toBe('pinned')
    expect(readFileSync(files.pinFile, 'utf8')).toBe(line('node1', first) + line('[node1]:2222', second))
  })

  it('of another type is refused too when one is on file: the server was asked for that one', async () => {
    writeFileSync(files.knownHosts[0] ?? '', line('node1', rsa))
    expect(await knownKeyTypes(files, 'node1', 22)).toEqual(['ssh-rsa'])
    await expect(checkHostKey(files, 'node1', 22, first)).rejects.toMatchObject({
      code: 'KX_HOST_KEY_CHANGED',
      params: { file: files.knownHosts[0] },
    })
  })

  it('that is revoked is refused though it is on file', async () => {
    writeFileSync(files.knownHosts[0] ?? '', line('node1', first) + line('*', first, '@revoked '))
    await expect(checkHostKey(files, 'node1', 22, first)).rejects.toMatchObject({ code: 'KX_HOST_KEY_REVOKED', params: { line: 2 } })
  })

  it('of many hosts at once is kept for each, and nothing else is left behind', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `node${i}`)
    await Promise.all(names.map((name) => checkHostKey(files, name, 22, blob('ssh-ed25519', name))))
    expect(
      readFileSync(files.pinFile, 'utf8')
        .split('\n')
        .map((text) => text.split(' ')[0])
        .sort(),
    ).toEqual(['', ...names].sort())
    expect(readdirSync(join(directory, 'work'))).toEqual(['pins'])
  })

  it('is pinned behind a file without a last line break, and despite the lock of a writer that died', async () => {
    await checkHostKey(files, 'node1', 22, first)
    writeFileSync(files.pinFile, readFileSync(files.pinFile, 'utf8').trimEnd())
    writeFileSync(`${files.pinFile}.lock`, '')
    utimesSync(`${files.pinFile}.lock`, new Date(0), new Date(0))
    await checkHostKey(files, 'node2', 22, second)
    expect(readFileSync(files.pinFile, 'utf8')).toBe(line('node1', first) + line('node2', second))
  })

  it('nobody knows is refused where the config says so', async () => {
    await expect(checkHostKey({ ...files, unknown: 'refuse' }, 'node1', 22, first)).rejects.toMatchObject({ code: 'KX_HOST_KEY_UNKNOWN' })
  })
})
