import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { attempt, type CommandResult } from '../../src/lab/command.ts'
import { labDown } from '../../src/lab/index.ts'
import { describeLab, testLabName } from '../support/with-lab.ts'

const commands = fileURLToPath(new URL('../../src/cli/lab-commands.ts', import.meta.url))
const main = `
import { Command } from 'commander'
import { registerLabCommands } from '${commands}'
const program = new Command('kubexm')
registerLabCommands(program)
try {
  await program.parseAsync(process.argv.slice(1), { from: 'user' })
} catch (error) {
  process.stderr.write(error.code + ': ' + error.message)
  process.exitCode = error.exitCode ?? 1
}`

describeLab('kubexm lab', () => {
  const name = testLabName()
  const kubexm = (...argv: string[]): Promise<CommandResult> =>
    attempt([process.execPath, '--input-type=module', '-e', main, '--', 'lab', ...argv])

  afterAll(async () => {
    await labDown(name).catch((error) => expect(error).toMatchObject({ code: 'KX_LAB_UNKNOWN' }))
  })

  test('does from up to down what its help says', async () => {
    const steps: readonly { argv: readonly string[]; gives?: RegExp; code?: number }[] = [
      { argv: ['up', '--name', name, '--hosts', '2'], gives: /node1 +running +10\.77\.0\.11[\s\S]*node2 +running +10\.77\.0\.12/ },
      { argv: ['status', '--name', name], gives: new RegExp(`^lab ${name}: 2 hosts, \\d+ MiB\n`) },
      { argv: ['exec', '--name', name, 'node1', '--', 'sh', '-c', 'hostname; exit 7'], gives: /^node1\n$/, code: 7 },
      { argv: ['ssh', '--name', name, 'node2', '--', 'hostname'], gives: /^node2\n$/ },
      { argv: ['kill', '--name', name, 'node2'] },
      { argv: ['status', '--name', name], gives: /node2 +off/ },
      { argv: ['start', '--name', name, 'node2'] },
      { argv: ['reboot', '--name', name, 'node2'] },
      { argv: ['net', '--name', name, 'cut', 'node2'] },
      { argv: ['status', '--name', name], gives: /node2 +running.*cut off/ },
      { argv: ['net', '--name', name, 'heal', 'node2'] },
      { argv: ['net', '--name', name, 'break', 'node2'], code: 2 },
      { argv: ['add', '--name', name, '--memory', '600'], gives: /^node3\n$/ },
      { argv: ['rm', '--name', name, 'node3'] },
      { argv: ['exec', '--name', name, 'node3', 'true'], code: 2 },
      { argv: ['up', '--name', name], code: 2 },
      { argv: ['up', '--name', 'Not_A_Name'], code: 2 },
      { argv: ['down', '--name', name], gives: new RegExp(`^lab ${name} is gone\n$`) },
      { argv: ['down', '--name', name], code: 2 },
    ]
    for (const { argv, gives = /^$/, code = 0 } of steps) {
      const result = await kubexm(...argv)
      expect.soft({ argv, code: result.code, stderr: result.stderr }).toMatchObject({ code })
      expect.soft(result.stdout, argv.join(' ')).toMatch(gives)
      if (argv[0] === 'up' && code === 0) await configIsForTheseHosts()
    }
  })

  async function configIsForTheseHosts(): Promise<void> {
    const config = parse((await kubexm('config', '--name', name, '--user', 'admin')).stdout)
    expect(config).toMatchObject({ apiVersion: 'kubexm.mensylisir.io/v1alpha1', kind: 'Cluster', metadata: { name } })
    expect(config.spec).toMatchObject({
      global: { user: 'admin', sudoPassword: expect.any(String), hostKeyPolicy: 'strict' },
      hosts: [{ name: 'node1', address: '10.77.0.11', internalAddress: '10.77.0.11,fd77::11' }, { name: 'node2' }],
      roleGroups: { etcd: ['node1'], master: ['node1'], worker: ['node2'] },
    })
  }
})
