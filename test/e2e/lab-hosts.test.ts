import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import {
  labAdd,
  labClusterYaml,
  labCut,
  labHeal,
  labKill,
  labPassphrase,
  labPassword,
  labReboot,
  labRemove,
  labStart,
  spareAddresses,
} from '../../src/lab/index.ts'
import { describeLab, type TestLab, withLab } from '../support/with-lab.ts'

describeLab('lab hosts', () => {
  test('let in every user in every way, with the host keys that were known beforehand', async () => {
    await withLab({ hosts: 1 }, async (lab) => {
      const { plain, encrypted, certified } = lab.access
      const ways = [
        { way: 'key', options: ['-i', plain] },
        { way: 'encrypted key', options: ['-i', encrypted], secret: labPassphrase },
        { way: 'certificate', options: ['-i', certified, '-o', `CertificateFile=${certified}-cert.pub`] },
        { way: 'password', options: ['-o', 'PreferredAuthentications=password'], secret: labPassword },
        { way: 'keyboard-interactive', options: ['-o', 'PreferredAuthentications=keyboard-interactive'], secret: labPassword },
      ]
      for (const { way, options, secret } of ways) {
        for (const user of ['root', 'ops', 'admin', 'plain']) {
          const { code, stdout, stderr } = await login(lab, user, options, secret)
          expect.soft({ way, user, code, stdout, stderr }).toEqual({ way, user, code: 0, stdout: `${user}\n`, stderr: '' })
        }
      }
      const refused = await login(lab, 'ops', ['-o', 'PreferredAuthentications=password', '-o', 'NumberOfPasswordPrompts=1'], 'wrong')
      expect(refused).toMatchObject({ code: 255, stderr: expect.stringContaining('Permission denied') })
    })
  })

  test('know who may use sudo, and with what', async () => {
    await withLab({ hosts: 1 }, async (lab) => {
      const as = async (user: string, command: string): Promise<string> => lab.onHost('node1', `su - ${user} -c '${command}' 2>&1 || true`)
      expect(await as('ops', 'sudo -n id -u')).toBe('0\n')
      expect(await as('admin', 'sudo -n id -u')).toContain('a password is required')
      expect(await as('admin', `echo ${labPassword} | sudo -S -p "" id -u`)).toBe('0\n')
      expect(await as('plain', `echo ${labPassword} | sudo -S -p "" id -u`)).toContain('is not in the sudoers file')
    })
  })

  test('cannot set the clock, which is that of the machine', async () => {
    await withLab({ hosts: 1 }, async (lab) => {
      // Setting it to what it is would harm nobody if it were allowed.
      const set = 'date -s "@$(date +%s)" 2>&1 || true'
      expect(await lab.onHost('node1', set)).toContain('cannot set date')
      expect((await login(lab, 'root', [], undefined, set)).stdout).toContain('cannot set date')
    })
  })

  test('keep their disks and lose their memory over reboot, poweroff and power loss', async () => {
    await withLab({ hosts: 2 }, async (lab) => {
      const ids = await Promise.all(lab.hosts.map((host) => lab.onHost(host.name, 'cat /etc/machine-id')))
      expect(ids).toEqual(lab.hosts.map((host) => `${host.machineId}\n`))
      expect(new Set(ids).size).toBe(2)
      const leave =
        'echo x >/etc/mark; echo x >/var/lib/mark; echo x >/run/mark; ip address add 10.9.9.9/32 dev lo; sysctl -qw net.ipv4.ip_forward=1'
      const kept =
        'cat /etc/mark /var/lib/mark; ls /run/mark 2>/dev/null || echo gone; ip -o address show to 10.9.9.9; sysctl -n net.ipv4.ip_forward; cat /etc/machine-id'
      const expected = `x\nx\ngone\n0\n${ids[0]}`

      await lab.onHost('node1', leave)
      await labReboot(lab.name, 'node1')
      expect(await lab.onHost('node1', kept)).toBe(expected)

      await lab.onHost('node1', leave)
      await labKill(lab.name, 'node1')
      expect((await lab.status()).hosts.map((host) => host.state)).toEqual(['off', 'running'])
      await expect(lab.onHost('node1', 'true')).rejects.toMatchObject({ code: 'KX_LAB_HOST_STATE' })
      await labStart(lab.name, 'node1')
      expect(await lab.onHost('node1', kept)).toBe(expected)
      await expect(labStart(lab.name, 'node1')).rejects.toMatchObject({ code: 'KX_LAB_HOST_STATE' })

      // From inside, as kubexm would do it.
      expect((await login(lab, 'root', [], undefined, 'systemctl reboot')).code).toBeLessThan(256)
      await expect.poll(async () => (await lab.status()).hosts[0], { timeout: 20_000 }).toMatchObject({ state: 'running', boots: 4 })
      expect((await login(lab, 'root', ['-i', lab.access.plain])).stdout).toBe('root\n')
    })
  })

  test('can be cut off and healed, added and removed, and be small', async () => {
    await withLab({ hosts: 2 }, async (lab) => {
      const reaches = async (address: string): Promise<boolean> =>
        (await lab.onHost('node1', `ping -q -c1 -W1 ${address} >/dev/null && echo yes || echo no`)) === 'yes\n'
      expect([await reaches('10.77.0.12'), await reaches('fd77::12')]).toEqual([true, true])
      await labCut(lab.name, 'node2')
      expect([await reaches('10.77.0.12'), await reaches('fd77::12')]).toEqual([false, false])
      await labReboot(lab.name, 'node2')
      expect(await reaches('10.77.0.12')).toBe(false)
      await labHeal(lab.name, 'node2')
      expect(await reaches('10.77.0.12')).toBe(true)

      expect(await labAdd(lab.name, { name: 'tiny', memoryMiB: 512, cpus: 1 })).toBe('tiny')
      expect(await lab.onHost('tiny', 'nproc; grep -c ^processor /proc/cpuinfo; free -m | awk "/^Mem/{print \\$2}"')).toBe('1\n1\n512\n')
      expect(await reaches('10.77.0.13')).toBe(true)
      await labRemove(lab.name, 'tiny')
      expect((await lab.status()).hosts.map((host) => host.name)).toEqual(['node1', 'node2'])
      expect(await labAdd(lab.name)).toBe('node4')
      expect(await readFile(lab.access.knownHosts, 'utf8')).not.toContain('tiny')
    })
  })

  test('have no way out, not even a slow one, and spare addresses for VIPs', async () => {
    await withLab({ hosts: 2 }, async (lab) => {
      const start = Date.now()
      for (const target of ['http://192.0.2.1', 'http://[2001:db8::1]', 'http://example.com']) {
        const { code, stderr } = await lab.inNetwork([process.execPath, '-e', `await fetch('${target}')`])
        expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/ENETUNREACH|EHOSTUNREACH|EAI_AGAIN|ENOTFOUND/) })
        expect(await lab.onHost('node1', `curl -s -m 10 ${target} && echo reached || echo refused`)).toBe('refused\n')
      }
      expect(Date.now() - start).toBeLessThan(8000)
      const vip = spareAddresses[0]
      await lab.onHost('node2', `ip address add ${vip?.ipv4}/24 dev eth0; ip address add ${vip?.ipv6}/64 dev eth0 nodad`)
      await lab.onHost('node1', `ping -q -c1 -W1 ${vip?.ipv4}; ping -q -c1 -W1 ${vip?.ipv6}`)
      expect(await lab.onHost('node1', 'apt-get install -qq -y conntrack >/dev/null 2>&1; conntrack --version')).toContain('conntrack v')
    })
  })

  test('can be behind a jump host', async () => {
    await withLab({ hosts: [{}, { private: true }, { private: true }] }, async (lab) => {
      const direct = await lab.inNetwork(['ssh', '-F', lab.access.sshConfig, '-o', 'ProxyJump=none', 'node2', 'hostname'])
      expect(direct.code).toBe(255)
      expect((await lab.inNetwork(['ssh', '-F', lab.access.sshConfig, 'node2', 'hostname'])).stdout).toBe('node2\n')
      expect(await lab.onHost('node3', 'ping -q -c1 -W1 10.78.0.12 >/dev/null && echo yes')).toBe('yes\n')
      const config = parse(await labClusterYaml(lab.name))
      expect(config.spec.hosts).toMatchObject([
        { name: 'node2', address: '10.78.0.12', bastion: { address: '10.77.0.11' } },
        { name: 'node3', address: '10.78.0.13', bastion: { address: '10.77.0.11' } },
      ])
    })
  })
})

/** One login with OpenSSH; `secret` is typed wherever a password or passphrase is asked for. */
async function login(lab: TestLab, user: string, options: readonly string[], secret?: string, command = 'id -un') {
  const askpass = join(
    lab.access.sshConfig,
    '..',
    `askpass-${createHash('sha256')
      .update(secret ?? '')
      .digest('hex')
      .slice(0, 8)}`,
  )
  await writeFile(askpass, `#!/bin/sh\necho '${secret ?? ''}'\n`, { mode: 0o700 })
  const quiet = [
    '-o',
    'IdentitiesOnly=yes',
    '-o',
    'StrictHostKeyChecking=yes',
    '-o',
    `UserKnownHostsFile=${lab.access.knownHosts}`,
    '-o',
    'ConnectTimeout=5',
  ]
  const identity = options.includes('-i') || options.length > 0 ? [] : ['-i', lab.access.plain]
  return lab.inNetwork(['setsid', '-w', 'ssh', '-F', 'none', ...quiet, ...identity, ...options, `${user}@10.77.0.11`, command], {
    env: { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', SSH_AUTH_SOCK: '' },
  })
}
