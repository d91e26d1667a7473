import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { configConvert, configSchema, configValidate, registerConfigCommands } from './config-commands.ts'

const directory = mkdtempSync(join(tmpdir(), 'kubexm-cli-config-'))
const before = process.exitCode
afterEach(() => {
  process.exitCode = before
})
afterAll(() => rmSync(directory, { recursive: true }))
const write = (name: string, text: string): string => {
  writeFileSync(join(directory, name), text)
  return join(directory, name)
}

async function run(...args: string[]): Promise<{ text: string; exitCode: unknown }> {
  let text = ''
  const program = new Command().exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} })
  registerConfigCommands(program, (more) => {
    text += more
  })
  await program.parseAsync(['config', ...args], { from: 'user' })
  return { text, exitCode: process.exitCode }
}

describe('config validate', () => {
  it('tells what a valid file describes', async () => {
    const { text, exitCode } = await configValidate(write('a.yaml', configText()))
    expect(text).toMatch(/✓ .*a\.yaml is valid: cluster test, 5 hosts \(3 etcd, 3 master, 2 worker\), Kubernetes v1\.32\.4 by kubeadm\n$/)
    expect(exitCode).toBe(0)
  })

  it('shows every problem and ends with 10', async () => {
    const { text, exitCode } = await configValidate(
      write('b.yaml', configText({ kind: 'Node', 'spec.roleGroups.etcd': ['node1', 'node2'] })),
    )
    expect(text).toContain('✗ KX_CONFIG_ENUM')
    expect(text).toContain('! KX_CONFIG_ETCD_EVEN')
    expect(text).toMatch(/is not valid: 1 error, 1 warning\n$/)
    expect(exitCode).toBe(10)
  })

  it('speaks Chinese and JSON', async () => {
    const file = write('c.yaml', configText({ 'spec.kubernetes.maxPods': 0 }))
    expect((await configValidate(file, { language: 'zh' })).text).toContain('修复')
    const json = JSON.parse((await configValidate(file, { output: 'json' })).text)
    expect(json).toMatchObject({
      file,
      valid: false,
      errors: [{ code: 'KX_CONFIG_NUMBER', path: 'spec.kubernetes.maxPods', seen: '0', severity: 'error' }],
      warnings: [],
    })
  })
})

it('config schema is JSON', () => expect(JSON.parse(configSchema().text)).toMatchObject({ type: 'object', title: 'kubexm Cluster' }))

it('config convert names the variables secrets are taken from', async () => {
  const { text, exitCode } = await configConvert(write('d.yaml', configText({ 'spec.global': { password: 'hunter2' } })))
  expect(text).toContain('# spec.global.password is taken from the environment variable KUBEXM_PASSWORD')
  expect(text).not.toContain('hunter2')
  expect(exitCode).toBe(0)
})

describe('as commands', () => {
  it('init writes a config and its schema, and does not overwrite', async () => {
    const file = join(directory, 'new', 'cluster.yaml')
    await run(
      'init',
      '-f',
      file,
      '--hosts',
      '10.0.0.1,10.0.0.2,10.0.0.3',
      '--high-availability',
      'kube-vip',
      '--vip',
      '10.0.0.9',
      '--type',
      'kubexm',
    )
    expect(readFileSync(file, 'utf8')).toContain('internalLoadbalancer: kube-vip')
    expect(existsSync(join(directory, 'new', '.kubexm', 'cluster.schema.json'))).toBe(true)
    await expect(run('init', '-f', file, '--hosts', '10.0.0.1')).rejects.toThrow(/cannot be written/)
    await run('init', '-f', file, '--hosts', '10.0.0.1', '--force')
    expect((await run('validate', '-f', file)).text).toContain('1 host (')
  })

  it('validate leaves its exit code in the process', async () => {
    expect((await run('validate', '-f', write('e.yaml', 'a: b'))).exitCode).toBe(10)
  })

  it('explain and schema print', async () => {
    expect((await run('explain', 'spec.etcd.type')).text).toContain('Who runs etcd')
    expect((await run('schema')).text).toContain('"$schema"')
  })

  it('refuses an unknown choice', async () => {
    await expect(run('init', '--hosts', '10.0.0.1', '--type', 'other')).rejects.toThrow(/choices/)
  })
})
