import { beforeEach, describe, expect, it } from 'vitest'
import { all, type Command, lines, nested, type Runner, sh } from '../runner/index.ts'
import { Content } from './content.ts'
import { writeFile } from './files.ts'
import { complains, SimulatedHost, says, simulatedBinary } from './index.ts'

let host: SimulatedHost
let on: Runner
beforeEach(() => {
  host = new SimulatedHost({ swapAreas: [{ path: '/dev/vda2', sizeMiB: 1 }] })
  on = host.runner()
})

describe('the shell', () => {
  const cases: readonly { readonly line: Command; readonly code?: number; readonly stdout?: string; readonly stderr?: string }[] = [
    { line: sh`echo ${'a  b'} c`, stdout: 'a  b c\n' },
    { line: sh`printf '%s-%s\n' a b`, stdout: 'a-b\n' },
    { line: all(sh`false`, sh`echo no`), code: 1, stdout: '' },
    { line: sh`false || echo yes`, stdout: 'yes\n' },
    { line: lines(sh`echo one`, sh`false`, sh`echo two`), stdout: 'one\ntwo\n' },
    { line: sh`echo b | cat | grep -q b && echo found`, stdout: 'found\n' },
    { line: sh`! grep -q nothing /etc/hosts`, code: 0 },
    { line: sh`cat /no/file 2>/dev/null`, code: 1, stderr: '' },
    { line: sh`cat /no/file 2>&1`, code: 1, stdout: 'cat: /no/file: No such file or directory\n', stderr: '' },
    { line: sh`A=1 B=2 env true; echo done`, stdout: 'done\n' },
    { line: sh`test -d /etc && [ ! -e /nothing ] && test -L /bin && echo ok`, stdout: 'ok\n' },
    { line: sh`command -v systemctl`, stdout: '/usr/bin/systemctl\n' },
    { line: sh`command -v kubeadm`, code: 127 },
    { line: sh`timeout -k 5 30 echo in time`, stdout: 'in time\n' },
    { line: sh`nonsense --flag`, code: 127, stderr: 'sh: 1: nonsense: not found\n' },
    { line: sh`/etc/hosts`, code: 126, stderr: 'sh: 1: /etc/hosts: Permission denied\n' },
    { line: sh`swapon --show`, stdout: '/dev/vda2\n' },
    { line: sh`sysctl -n vm.swappiness`, stdout: '60\n' },
    { line: sh`uname -r`, stdout: '6.1.0-28\n' },
    { line: sh`id -u nobody`, stdout: '65534\n' },
    { line: sh`getent passwd absent`, code: 2 },
    { line: sh`systemctl is-active sshd nothing`, code: 3, stdout: 'active\ninactive\n' },
    { line: sh`systemctl is-enabled sshd`, stdout: 'enabled\n' },
    { line: sh`systemctl show sshd -p ActiveState --value`, stdout: 'active\n' },
    { line: sh`systemctl start nothing`, code: 5 },
    { line: sh`echo $(date)`, code: 2 },
    { line: sh`echo ${'$(date) `x` $HOME'}`, stdout: '$(date) `x` $HOME\n' },
    { line: sh`${nested(sh`echo in`)} && echo out`, stdout: 'in\nout\n' },
  ]
  it.each(cases)('$line', async ({ line, code = 0, stdout, stderr }) => {
    const output = await on.run(line, { ok: 'any' })
    expect(output.code).toBe(code)
    if (stdout !== undefined) expect(output.stdout).toBe(stdout)
    if (stderr !== undefined) expect(output.stderr).toBe(stderr)
  })

  it('changes files through redirections and programs', async () => {
    await on.run(
      sh`mkdir -p /opt/a && echo one > /opt/a/f && echo two >> /opt/a/f && cp /opt/a/f /opt/g && ln -s g /opt/l && mv /opt/g /opt/h && chmod 600 /opt/h`,
    )
    expect(await on.files.read('/opt/h')).toBe('one\ntwo\n')
    expect(await on.inspect([{ kind: 'file', path: '/opt/h' }])).toMatchObject([{ mode: '0600' }])
    await on.run(sh`tee /opt/stdin`, { stdin: 'given' })
    expect(await on.files.read('/opt/stdin')).toBe('given')
    await on.run(sh`rm -rf /opt/a /opt/h /opt/stdin && rm /opt/l && rmdir /opt`)
    expect(await on.inspect([{ kind: 'file', path: '/opt' }])).toEqual([{ type: 'absent', existing: '/' }])
    await expect(on.run(sh`echo x > /no/dir/file`)).rejects.toMatchObject({ code: 'KX_COMMAND' })
    await expect(on.run(sh`rm /absent`)).rejects.toMatchObject({ seen: expect.stringContaining('No such file') })
  })

  it('keeps what a line did before it failed', async () => {
    await expect(on.run(sh`touch /opt/done && false`)).rejects.toMatchObject({ code: 'KX_COMMAND', params: { code: 1 } })
    expect(await on.files.read('/opt/done')).toBe('')
  })
})

describe('programs', () => {
  it('can be added; one tied to a file is there when its file is, and runs on its architecture', async () => {
    host.programs.register('greet', (argv) => (argv.length > 1 ? says(`hello ${argv[1]}\n`) : complains('whom?', 4)))
    expect((await on.run(sh`greet world`)).stdout).toBe('hello world\n')
    expect(await on.run(sh`greet`, { ok: [4] })).toMatchObject({ stderr: 'whom?\n' })
    host.programs.register('tool', () => says('tool 1.0\n'), { needsFile: true })
    expect(await on.run(sh`tool`, { ok: 'any' })).toMatchObject({ code: 127 })
    const put = (arch: string): void =>
      host.meddle((state) => writeFile(state, '/usr/local/bin/tool', new Content(simulatedBinary('tool', arch)), { mode: '0755' }))
    put('arm64')
    expect(await on.run(sh`tool`, { ok: 'any' })).toMatchObject({ code: 126, stderr: 'sh: 1: tool: Exec format error\n' })
    put('amd64')
    expect((await on.run(sh`/usr/local/bin/tool`)).stdout).toBe('tool 1.0\n')
  })

  it('that nobody has a model of are not pretended', async () => {
    host.meddle((state) => writeFile(state, '/usr/bin/mystery', new Content(simulatedBinary('mystery', 'amd64')), { mode: '0755' }))
    expect(await on.run(sh`mystery`, { ok: 'any' })).toMatchObject({ code: 127, stderr: expect.stringContaining('no model') })
  })

  it('change the kernel and the system', async () => {
    await on.run(
      sh`modprobe br_netfilter && sysctl -w net.bridge.bridge-nf-call-iptables=0 && swapoff -a && hostnamectl set-hostname n2 && timedatectl set-timezone UTC`,
    )
    expect(host.state.hostname).toBe('n2')
    expect(await on.inspect([{ kind: 'swap' }, { kind: 'timezone' }])).toEqual([{ active: [] }, { name: 'UTC' }])
    await on.files.write('/etc/sysctl.d/1.conf', 'vm.swappiness=1\n', { mode: '0644' })
    await on.run(sh`sysctl --system && groupadd -r g && useradd -r -g g -s /bin/false u`)
    expect(
      await on.inspect([
        { kind: 'sysctl', key: 'vm.swappiness' },
        { kind: 'user', name: 'u' },
      ]),
    ).toMatchObject([{ value: '1' }, { shell: '/bin/false' }])
    await on.run(sh`userdel u && groupdel g && modprobe -r br_netfilter`)
    await on.run(sh`mkdir /data && mount -t xfs /dev/vdb /data`)
    expect(await on.inspect([{ kind: 'mount', path: '/data' }])).toEqual([{ source: '/dev/vdb', type: 'xfs', options: 'rw,relatime' }])
    await on.run(sh`umount /data`)
    await expect(on.run(sh`umount /data`)).rejects.toMatchObject({ params: { code: 32 } })
  })
})
