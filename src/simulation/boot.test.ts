import { beforeEach, expect, it } from 'vitest'
import type { Runner } from '../runner/index.ts'
import { SimulatedHost } from './index.ts'

let host: SimulatedHost
let on: Runner

beforeEach(() => {
  host = new SimulatedHost({ os: 'rocky-9', swapAreas: [{ path: '/dev/vda2', sizeMiB: 1024 }] })
  on = host.runner()
})

it('brings back enabled units and only those; one that cannot start is failed', async () => {
  const unit = (exec: string): string => `[Service]\nExecStart=${exec}\n[Install]\nWantedBy=multi-user.target\n`
  for (const name of ['enabled', 'started', 'broken'])
    await on.files.write(`/etc/systemd/system/${name}.service`, unit('/bin/sleep 1'), { mode: '0644' })
  for (const name of ['enabled', 'broken']) await on.services.enable(name)
  for (const name of ['enabled', 'started', 'broken']) await on.services.start(name)
  await on.files.write('/etc/systemd/system/broken.service', unit('/no/program'), { mode: '0644' })
  host.reboot()
  const states = await on.inspect([
    { kind: 'unit', name: 'enabled' },
    { kind: 'unit', name: 'started' },
    { kind: 'unit', name: 'broken' },
    { kind: 'unit', name: 'sshd' },
    { kind: 'unit', name: 'firewalld' },
  ])
  expect(states.map(({ active }) => active)).toEqual(['active', 'inactive', 'failed', 'active', 'active'])
})

it('forgets what no file says: sysctls, modules, /run, SELinux set by hand, swap turned off, a name', async () => {
  await on.kernel.loadModule('overlay')
  await on.kernel.loadModule('br_netfilter')
  await on.kernel.setSysctl('net.ipv4.ip_forward', '1')
  await on.kernel.setSysctl('vm.swappiness', '1')
  await on.files.write('/run/kubexm/x', 'x', { mode: '0644' })
  await on.system.swapOff()
  await on.system.setSelinux('permissive')
  await on.files.write('/etc/modules-load.d/kubexm.conf', '# ours\nbr_netfilter\nnonsense\n', { mode: '0644' })
  await on.files.write('/etc/sysctl.d/99-kubexm.conf', 'net.ipv4.ip_forward = 1\nno.such.key=1\nnet.bridge.bridge-nf-call-iptables=0\n', {
    mode: '0644',
  })
  host.reboot()
  const states = await on.inspect([
    { kind: 'module', name: 'overlay' },
    { kind: 'module', name: 'br_netfilter' },
    { kind: 'sysctl', key: 'net.ipv4.ip_forward' },
    { kind: 'sysctl', key: 'net.bridge.bridge-nf-call-iptables' },
    { kind: 'sysctl', key: 'vm.swappiness' },
    { kind: 'file', path: '/run/kubexm/x' },
    { kind: 'swap' },
    { kind: 'selinux' },
  ])
  expect(states).toMatchObject([
    { present: false },
    { present: true },
    { value: '1' },
    { value: '0' },
    { value: '60' },
    { type: 'absent', existing: '/run' },
    { active: ['/dev/vda2'] },
    { mode: 'enforcing' },
  ])
})

it('keeps swap off and SELinux permissive when the files say so', async () => {
  await on.system.swapOff()
  await on.files.write('/etc/fstab', '/dev/vda1 / ext4 defaults 0 1\n# /dev/vda2 none swap sw 0 0\n', { mode: '0644' })
  await on.files.write('/etc/selinux/config', 'SELINUX=permissive\n', { mode: '0644' })
  host.reboot()
  expect(await on.inspect([{ kind: 'swap' }, { kind: 'selinux' }, { kind: 'mount', path: '/' }])).toEqual([
    { active: [] },
    { mode: 'permissive', configured: 'permissive' },
    { source: '/dev/vda1', type: 'ext4', options: 'rw,relatime' },
  ])
})

it('is out of reach while it is off or cut off, and changes nothing meanwhile', async () => {
  const write = (): Promise<void> => on.files.write('/x', 'x', { mode: '0644' })
  host.powerOff()
  await expect(write()).rejects.toMatchObject({ code: 'KX_CONNECTION_LOST', retryable: true })
  await expect(on.inspect([{ kind: 'swap' }])).rejects.toMatchObject({ code: 'KX_CONNECTION_LOST' })
  host.powerOn()
  host.cutNetwork()
  await expect(on.facts()).rejects.toMatchObject({ code: 'KX_CONNECTION_LOST' })
  host.restoreNetwork()
  await write()
  expect(host.mutations).toEqual([{ what: 'files.write', target: '/x' }])
})
