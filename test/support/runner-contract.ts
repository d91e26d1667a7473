import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Runner, sh } from '../../src/runner/index.ts'
import { packArchive } from '../../src/simulation/index.ts'
import { sha256 } from '../../src/util/hash.ts'
import { Secret } from '../../src/util/secret.ts'
import { hostContract, live, noteContract, place, servicesContract } from './runner-contract-host.ts'

/** A host to try the contract on: the runner, and what gives it back. */
export interface ContractHost {
  readonly on: Runner
  release(): Promise<void>
}

/**
 * What every runner promises, tried through the interface alone. The same expectations hold for the simulated host and for a real
 * one, which is what makes tests on the simulated one worth something. The host is left as it was.
 */
export function runnerContract(name: string, makeHost: () => Promise<ContractHost>): void {
  describe(`the runner of ${name}`, () => {
    let host: ContractHost
    let on: Runner
    let local: string

    beforeAll(async () => {
      host = await makeHost()
      on = host.on
      local = await mkdtemp(join(tmpdir(), 'kubexm-contract-'))
      await on.files.remove(place, { recursive: true })
    })
    afterAll(async () => {
      await on.files.remove(place, { recursive: true })
      await host.release()
      await rm(local, { recursive: true })
    })

    filesContract(() => on)
    transfersContract(
      () => on,
      () => local,
    )
    commandsContract(() => on)
    servicesContract(() => on)
    hostContract(() => on)
    noteContract(() => on)
  })
}

function filesContract(host: () => Runner): void {
  it('writes a file with its mode, makes its parents, and reads it back', async () => {
    const on = host()
    const path = `${place}/a/b/plain.txt`
    const [before] = await on.inspect([{ kind: 'file', path }])
    expect(before).toEqual({ type: 'absent', existing: '/var/tmp' })
    await on.files.write(path, 'one\ntwo\n', { mode: '0640' })
    expect(await on.files.read(path)).toBe('one\ntwo\n')
    const [state] = await on.inspect([{ kind: 'file', path }])
    expect(state).toEqual({ type: 'file', sha256: sha256('one\ntwo\n'), mode: '0640', owner: 'root:root', size: 8 })
  })

  it('keeps awkward content and names as they are', async () => {
    const on = host()
    const path = `${place}/it's "odd" $HOME.txt`
    const content = `no newline at the end, 'quotes', "more", \\back, $(date), ünïcode`
    await on.files.write(path, new Secret(content), { mode: '0600' })
    expect(await on.files.read(path)).toBe(content)
    expect(await on.files.list(place)).toContain(`it's "odd" $HOME.txt`)
    await on.files.remove(path)
    expect(await on.files.read(path)).toBeNull()
  })

  it('appends, and makes a log that only root reads', async () => {
    const on = host()
    const path = `${place}/log`
    await on.files.append(path, 'one\n')
    await on.files.append(path, 'two\n')
    expect(await on.files.read(path)).toBe('one\ntwo\n')
    expect(await on.inspect([{ kind: 'file', path }])).toMatchObject([{ mode: '0600', owner: 'root:root' }])
  })

  it('makes directories and knows an empty one from a full one', async () => {
    const on = host()
    const path = `${place}/directory`
    await on.files.makeDirectory(path, { mode: '0750' })
    expect(await on.inspect([{ kind: 'file', path }])).toEqual([{ type: 'directory', mode: '0750', owner: 'root:root', empty: true }])
    await on.files.write(`${path}/x`, 'x', { mode: '0644' })
    expect(await on.inspect([{ kind: 'file', path }])).toMatchObject([{ empty: false }])
    expect(await on.files.list(path)).toEqual(['x'])
    await expect(on.files.remove(path)).rejects.toMatchObject({ code: 'KX_FILE' })
    await on.files.remove(path, { recursive: true })
    await on.files.remove(path)
    expect(await on.inspect([{ kind: 'file', path }])).toMatchObject([{ type: 'absent' }])
    expect(await on.files.list(path)).toEqual([])
  })

  it('does not write a file over a directory', async () => {
    const on = host()
    await on.files.makeDirectory(`${place}/taken`, { mode: '0755' })
    await expect(on.files.write(`${place}/taken`, 'x', { mode: '0644' })).rejects.toMatchObject({ code: 'KX_FILE' })
    expect(await on.inspect([{ kind: 'file', path: `${place}/taken` }])).toMatchObject([{ type: 'directory', empty: true }])
  })

  it('links, and replaces a link', async () => {
    const on = host()
    const path = `${place}/link`
    await on.files.link(path, '/etc/hostname')
    await on.files.link(path, 'elsewhere')
    expect(await on.inspect([{ kind: 'file', path }])).toEqual([{ type: 'link', target: 'elsewhere', owner: 'root:root' }])
  })

  it('sets attributes and copies them along', async () => {
    const on = host()
    await on.files.write(`${place}/from`, 'data', { mode: '0644' })
    await on.files.setAttributes(`${place}/from`, { mode: '0604' })
    await on.files.copy(`${place}/from`, `${place}/made/to`)
    const states = await on.inspect([
      { kind: 'file', path: `${place}/made/to` },
      { kind: 'file', path: `${place}/made` },
    ])
    expect(states).toMatchObject([{ type: 'file', mode: '0604', sha256: sha256('data') }, { mode: '0700' }])
  })

  it('sets, replaces and takes out a block, and leaves the rest alone', async () => {
    const on = host()
    const path = `${place}/hosts`
    const marks = { begin: '# kubexm begin', end: '# kubexm end' }
    const probe = { kind: 'block', path, ...marks } as const
    expect(await on.inspect([probe])).toEqual([{ file: false, text: null }])
    await on.files.write(path, 'before\nafter\n', { mode: '0640' })
    await on.files.setBlock(path, marks, 'first')
    expect(await on.inspect([probe])).toEqual([{ file: true, text: 'first' }])
    await on.files.setBlock(path, marks, 'second\nthird')
    expect(await on.inspect([probe])).toEqual([{ file: true, text: 'second\nthird' }])
    expect(await on.files.read(path)).toBe('before\nafter\n# kubexm begin\nsecond\nthird\n# kubexm end\n')
    await on.files.setBlock(path, marks, null)
    expect(await on.files.read(path)).toBe('before\nafter\n')
    expect(await on.inspect([{ kind: 'file', path }])).toMatchObject([{ mode: '0640' }])
  })

  it('edits a file and keeps its attributes, and leaves alone what is as it should be or not there', async () => {
    const on = host()
    const path = `${place}/edited`
    await on.files.write(path, 'größe = 1\n', { mode: '0604' })
    await on.files.edit(path, (text) => text.replace('1', '2'))
    expect(await on.files.read(path)).toBe('größe = 2\n')
    expect(await on.inspect([{ kind: 'file', path }])).toMatchObject([{ mode: '0604', owner: 'root:root' }])
    await on.files.edit(`${place}/no-such-file`, () => 'made')
    expect(await on.files.read(`${place}/no-such-file`)).toBeNull()
  })
}

function transfersContract(host: () => Runner, local: () => string): void {
  it('uploads and downloads bytes as they are', async () => {
    const on = host()
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256))
    await writeFile(join(local(), 'blob'), bytes)
    await on.files.upload(join(local(), 'blob'), `${place}/blob`, { mode: '0755', sha256: sha256(bytes) })
    const [state] = await on.inspect([{ kind: 'file', path: `${place}/blob` }])
    expect(state).toEqual({ type: 'file', sha256: sha256(bytes), mode: '0755', owner: 'root:root', size: bytes.length })
    await on.files.download(`${place}/blob`, join(local(), 'back'))
    expect(sha256(await readFile(join(local(), 'back')))).toBe(sha256(bytes))
  })

  it('extracts an archive, chosen members and shortened names included, and refuses what is none', async () => {
    const on = host()
    const archive = await packArchive({ 'top/bin/tool': { data: '#!/bin/sh\n', mode: 0o755 }, 'top/README': { data: 'read me\n' } })
    await writeFile(join(local(), 'a.tar.gz'), archive)
    await on.files.upload(join(local(), 'a.tar.gz'), `${place}/a.tar.gz`, { mode: '0644' })
    await on.files.makeDirectory(`${place}/out`, { mode: '0755' })
    await on.files.extract(`${place}/a.tar.gz`, `${place}/out`, { strip: 1, members: ['top/bin/tool'] })
    const states = await on.inspect([
      { kind: 'file', path: `${place}/out/bin/tool` },
      { kind: 'file', path: `${place}/out/README` },
    ])
    expect(states).toMatchObject([{ type: 'file', mode: '0755', sha256: sha256('#!/bin/sh\n') }, { type: 'absent' }])
    const paths = [`${place}/out/bin/tool`, `${place}/out/README`]
    const question = (of: string, about: readonly string[]) =>
      ({ kind: 'unpacked', mark: `${place}/out/.mark`, sha256: of, paths: about }) as const
    expect(await on.inspect([question('abc', paths)])).toEqual([{ whole: false, replaced: null, files: states }])
    await on.files.write(`${place}/out/.mark`, 'abc\n', { mode: '0644' })
    expect(await on.inspect([question('abc', paths.slice(0, 1)), question('abc', paths), question('def', paths)])).toMatchObject([
      { whole: true, files: [] },
      { whole: false, replaced: 'abc' },
      { whole: false, replaced: 'abc', files: [{ type: 'file' }, { type: 'absent' }] },
    ])
    await on.files.write(`${place}/not.tar`, 'plain text\n', { mode: '0644' })
    await expect(on.files.extract(`${place}/not.tar`, `${place}/out`)).rejects.toBeInstanceOf(Error)
  })
}

function commandsContract(host: () => Runner): void {
  it('runs commands, gives their output, and fails with what they printed', async () => {
    const on = host()
    expect(await on.run(sh`echo ${"a 'quoted' word"} && cat`, { stdin: 'and input\n' })).toMatchObject({
      code: 0,
      stdout: "a 'quoted' word\nand input\n",
    })
    await expect(on.run(sh`cat /no/such/file`)).rejects.toMatchObject({ code: 'KX_COMMAND', seen: expect.stringContaining('No such file') })
    expect(await on.run(sh`false`, { ok: 'any' })).toMatchObject({ code: 1 })
    expect(await on.run(sh`no-such-program-here`, { ok: [127] })).toMatchObject({ code: 127 })
    expect(await on.inspect([{ kind: 'command', command: sh`echo hello` }])).toEqual([{ code: 0, stdout: 'hello\n' }])
  })

  it('shows lines as they come, and does nothing once aborted', async () => {
    const seen: string[] = []
    const watching = host().bind({ signal: live(), onLine: (stream, line) => seen.push(`${stream}: ${line}`) })
    await watching.run(sh`echo one && echo two`)
    expect(seen).toEqual(['stdout: one', 'stdout: two'])
    const aborted = host().bind({ signal: AbortSignal.abort(new Error('enough')) })
    await expect(aborted.run(sh`echo never`)).rejects.toBeInstanceOf(Error)
    await expect(aborted.files.write(`${place}/never`, 'x', { mode: '0644' })).rejects.toBeInstanceOf(Error)
    expect(await host().files.read(`${place}/never`)).toBeNull()
  })
}
