import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { sha256 } from '../util/hash.ts'
import { hashFunction, rememberHash } from './known-hashes.ts'
import { hostPaths } from './runner.ts'

let directory: string
let file: string
const large = 3 << 20

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'kubexm-hashes-'))
  file = join(directory, 'a file')
})
afterEach(() => rmSync(directory, { recursive: true }))

/** Runs shell with kubexm's own directory of a host inside the test's. */
function shell(script: string, env: Record<string, string> = {}): string {
  const own = script.replaceAll(hostPaths.root, join(directory, 'own'))
  const { stdout, status, stderr } = spawnSync('/bin/sh', ['-c', own], { env: { ...process.env, ...env } })
  if (status !== 0) throw new Error(String(stderr))
  return stdout.toString()
}

const hashOf = (env: Record<string, string> = {}): string => shell(`${hashFunction}kx_hash '${file}'`, env).split(/\s/)[0] ?? ''
const rename = 'mv -fT -- "$t" "$p"'

/** Puts a file in its place as an upload does; `claimed` is the hash that comes with it. */
function send(content: Buffer, claimed: string, moving = rename): void {
  writeFileSync(`${file}.new`, content)
  shell(`set -e\nt='${file}.new' p='${file}'\n${rememberHash(content.length, claimed, moving)}`)
}

test.each([0, 10, large])('a file of %i bytes has the hash it has', (size) => {
  const content = randomBytes(size)
  writeFileSync(file, content)
  expect(hashOf()).toBe(sha256(content))
})

test('without openssl as well', () => {
  const content = randomBytes(large)
  writeFileSync(file, content)
  const programs = join(directory, 'bin')
  mkdirSync(programs)
  for (const name of ['stat', 'sha256sum', 'grep', 'tail']) shell(`ln -s "$(command -v ${name})" ${programs}/${name}`)
  expect(hashOf({ PATH: programs })).toBe(sha256(content))
})

test('the hash of what was sent is believed as long as nobody touches the file', () => {
  mkdirSync(join(directory, 'own'))
  // A claim that reading the file would not confirm shows which one is answered.
  const claimed = 'c'.repeat(64)
  const content = randomBytes(large)
  send(content, claimed)
  expect(hashOf()).toBe(claimed)
  expect(hashOf({ TZ: 'Asia/Shanghai' })).toBe(claimed)

  const { atime, mtime } = statSync(file)
  content[7] = (content[7] ?? 0) ^ 1
  writeFileSync(file, content)
  utimesSync(file, atime, mtime)
  expect(hashOf()).toBe(sha256(content))
})

test('a newer file in its place has its own', () => {
  mkdirSync(join(directory, 'own'))
  send(randomBytes(large), 'a'.repeat(64))
  send(randomBytes(large), 'b'.repeat(64))
  expect(hashOf()).toBe('b'.repeat(64))
})

test('nothing is remembered of small files, of one that changes in the moment it is put in place, nor where kubexm has no directory', () => {
  send(randomBytes(large), 'c'.repeat(64))
  mkdirSync(join(directory, 'own'))
  const content = randomBytes(large)
  send(content, 'c'.repeat(64), `${rename}\nprintf x >> "$p"`)
  expect(hashOf()).toBe(sha256(Buffer.concat([content, Buffer.from('x')])))
  send(Buffer.from('small'), 'c'.repeat(64))
  expect(hashOf()).toBe(sha256('small'))
  expect(() => readFileSync(join(directory, 'own', 'hashes'))).toThrow('ENOENT')
})
