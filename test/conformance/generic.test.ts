import type { Cluster } from '../../src/config/index.ts'
import { sh } from '../../src/runner/index.ts'
import type { Host } from '../../src/runtime/index.ts'
import { managedBlock } from '../../src/step/generic/block.ts'
import { runCommand } from '../../src/step/generic/command.ts'
import { editFile } from '../../src/step/generic/edit.ts'
import { makeDirectory, makeLink, removeFile, writeFile } from '../../src/step/generic/file.ts'
import { loadModules, setSysctls } from '../../src/step/generic/kernel.ts'
import { displacePackages, installPackage, installPackages } from '../../src/step/generic/package.ts'
import { installUnit, reconfigureService, stopService } from '../../src/step/generic/service.ts'
import { firewallOff, selinuxPermissive, setHostname, setTimezone, swapOff } from '../../src/step/generic/system.ts'
import { makeGroup, makeSystemUser } from '../../src/step/generic/user.ts'
import { composeStep, type Op } from '../../src/step/index.ts'
import { defineTask } from '../../src/task/index.ts'
import { Secret } from '../../src/util/secret.ts'
import { minutes } from '../../src/util/time.ts'
import { conforms, type Scenario } from './conforms.ts'

const scenario: Scenario = {
  cluster: {} as Cluster,
  hosts: [
    { name: 'node1', address: '192.0.2.1', roles: ['master'] } as unknown as Host,
    { name: 'node2', address: '192.0.2.2', roles: ['worker'] } as unknown as Host,
  ],
}

/** A task of one step with these ops, on every host. */
const taskOf = (name: string, ops: () => readonly Op[]) => {
  const step = composeStep({ name: `${name}.do`, title: `Do ${name}`, timeout: minutes(1), ops })
  return defineTask({ name, description: name, plan: (t) => t.on(t.hosts(), step) })
}

const secret = 'hunter2-very-secret'

conforms(
  taskOf('files', () => [
    makeDirectory({ path: '/etc/demo', mode: '0750' }),
    writeFile({ path: '/etc/demo/config', content: 'a = 1\n' }),
    writeFile({ path: '/etc/demo/deep/down/key', content: new Secret(secret), mode: '0600' }),
    writeFile({ path: '/etc/motd', content: 'managed\n' }),
    makeLink({ path: '/etc/demo/current', target: '/etc/demo/config' }),
    removeFile('/etc/issue.net'),
    managedBlock({ path: '/etc/hosts', text: '192.0.2.1 node1\n192.0.2.2 node2\n' }),
  ]),
  {
    ...scenario,
    secrets: [secret],
    before: async (rehearsal) => {
      for (const machine of rehearsal.machines.values()) {
        await machine.runner().files.write('/etc/motd', 'welcome\n', { mode: '0640' })
        await machine.runner().files.write('/etc/issue.net', 'go away\n', { mode: '0644' })
        machine.mutations.length = 0
      }
      rehearsal.faults.clear()
    },
  },
)

conforms(
  taskOf('edits', () => [
    editFile({ path: '/etc/fstab', does: 'comment the root out', off: (line) => line.startsWith('/dev/vda1') }),
    editFile({ path: '/etc/profile', does: 'say more', add: () => 'umask 027', at: 'start' }),
    editFile({ path: '/etc/demo.conf', does: 'begin a file', add: () => 'a = 1' }),
    editFile({ path: '/etc/absent.conf', does: 'leave what is not there', off: () => true }),
  ]),
  scenario,
)

conforms(
  taskOf('service', () =>
    installUnit({
      name: 'demo.service',
      content: '[Unit]\nDescription=demo\n[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n',
    }),
  ),
  scenario,
)

conforms(
  taskOf('reconfigured', () =>
    reconfigureService({ unit: 'cron.service', files: [writeFile({ path: '/etc/default/cron', content: 'EXTRA_OPTS=-l\n' })] }),
  ),
  {
    ...scenario,
    os: ['debian-12'],
    before: async (rehearsal) => {
      for (const machine of rehearsal.machines.values()) {
        const on = machine.runner()
        await on.files.write('/etc/default/cron', '# nothing\n', { mode: '0644' })
        await on.files.write(
          '/etc/systemd/system/cron.service',
          '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n',
          { mode: '0644' },
        )
        await on.services.reloadUnits()
        await on.services.start('cron.service')
        machine.mutations.length = 0
      }
      rehearsal.faults.clear()
    },
  },
)

conforms(
  taskOf('kernel', () => [
    ...loadModules('/etc/modules-load.d/demo.conf', ['overlay', 'br_netfilter']),
    ...setSysctls('/etc/sysctl.d/99-demo.conf', { 'net.ipv4.ip_forward': '1', 'net.bridge.bridge-nf-call-iptables': '1' }),
  ]),
  scenario,
)

conforms(
  taskOf('people', () => [
    makeGroup('demo'),
    makeSystemUser({ name: 'demo', group: 'demo', home: '/nonexistent' }),
    installPackage('socat'),
    displacePackages(['curl', 'telnet']),
    installPackages(['jq', 'tar', 'ipset']),
  ]),
  scenario,
)

conforms(
  taskOf('system', () => [
    setHostname('renamed'),
    ...setTimezone('Asia/Shanghai'),
    swapOff(),
    selinuxPermissive(),
    firewallOff(),
    stopService('cron.service'),
  ]),
  scenario,
)

conforms(
  taskOf('command', () => [
    runCommand({
      id: 'demo-mark',
      does: 'make the mark',
      unless: sh`test -e /etc/demo-mark`,
      command: sh`touch /etc/demo-mark`,
      undo: sh`rm -f /etc/demo-mark`,
    }),
  ]),
  scenario,
)
