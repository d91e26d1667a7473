import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { attempt } from '../../src/lab/command.ts'
import { labDown, labStatus, sweepOrphans } from '../../src/lab/index.ts'
import { describeLab, testLabName, withLab } from '../support/with-lab.ts'

const labModule = fileURLToPath(new URL('../../src/lab/index.ts', import.meta.url))

describeLab('the lab harness', () => {
  test('keeps logs and states of a test that fails, and takes its lab down', async () => {
    let name = ''
    const failure = withLab({ hosts: 1 }, async (lab) => {
      name = lab.name
      await lab.onHost('node1', 'logger this-is-in-the-journal')
      throw new Error('the test failed')
    })
    const message = await failure.catch((error: Error) => error.message)
    expect(message).toMatch(/^the test failed\nlogs and states of the lab are in \S+$/)
    const directory = String(message).split(' ').at(-1) ?? ''
    expect(await readFile(join(directory, 'node1', 'journal.log'), 'utf8')).toContain('this-is-in-the-journal')
    expect(await readFile(join(directory, 'node1', 'processes.txt'), 'utf8')).toContain('sshd')
    expect(JSON.parse(await readFile(join(directory, 'status.json'), 'utf8'))).toMatchObject({ name, hosts: [{ state: 'running' }] })
    expect(existsSync(join(directory, 'supervisor.log'))).toBe(true)
    await rm(directory, { recursive: true })
    await expect(labStatus(name)).rejects.toMatchObject({ code: 'KX_LAB_UNKNOWN' })
  })

  test('sweeps labs whose owner is dead, and no others', async () => {
    const orphan = testLabName()
    const free = testLabName()
    const up = (name: string, owner: string) => `await lab.labUp({ name: '${name}', hosts: 1, ${owner} })`
    const script = `const lab = await import('${labModule}'); ${up(orphan, 'owner: lab.thisProcess()')}; ${up(free, '')}; console.log('up'); setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script])
    const ended = new Promise((resolve) => child.on('exit', resolve))
    try {
      await new Promise((resolve) => child.stdout.once('data', resolve))
      await withLab({ hosts: 1 }, async (own) => {
        expect(await sweepOrphans()).not.toContain(orphan)
        child.kill('SIGKILL')
        await ended
        expect(await sweepOrphans()).toEqual([orphan])
        await expect(labStatus(orphan)).rejects.toMatchObject({ code: 'KX_LAB_UNKNOWN' })
        expect((await labStatus(free)).hosts[0]?.state).toBe('running')
        expect((await own.status()).hosts[0]?.state).toBe('running')
      })
    } finally {
      child.kill('SIGKILL')
      await labDown(free)
    }
  })

  test('says what is missing where no lab can run', async () => {
    const script = `const { labCapability } = await import('${labModule}'); process.stdout.write(JSON.stringify(labCapability()))`
    const asNobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath, '--input-type=module', '-e', script]
    expect(JSON.parse((await attempt(asNobody)).stdout)).toEqual({
      ok: false,
      missing: 'kubexm does not run as root',
      fix: 'run the same command with sudo',
    })
    const withoutAdmin = [
      'setpriv',
      '--bounding-set=-sys_admin',
      '--inh-caps=-sys_admin',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ]
    expect(JSON.parse((await attempt(withoutAdmin)).stdout)).toMatchObject({ ok: false, missing: 'root lacks CAP_SYS_ADMIN here' })
    const withoutTools = await attempt([process.execPath, '--input-type=module', '-e', `process.env.PATH = '/nowhere'; ${script}`])
    expect(JSON.parse(withoutTools.stdout)).toMatchObject({
      ok: false,
      missing: expect.stringMatching(/^systemd-nspawn, .* not found$/),
      fix: expect.stringContaining('systemd-container'),
    })
  })
})
