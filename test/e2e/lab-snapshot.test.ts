import { expect, test } from 'vitest'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { describeLab, withLab } from '../support/with-lab.ts'

/** Each way a host can change, what a snapshot must call it, and how it is undone. */
const changes = [
  { kind: 'a changed file', does: 'echo changed >>/etc/issue', undo: 'sed -i "/changed/d" /etc/issue', shows: ['contents', '/etc/issue'] },
  { kind: 'a changed mode', does: 'chmod 600 /etc/issue', undo: 'chmod 644 /etc/issue', shows: ['files', '/etc/issue'] },
  { kind: 'a changed owner', does: 'chown ops /etc/issue', undo: 'chown root /etc/issue', shows: ['files', '/etc/issue'] },
  { kind: 'a new directory', does: 'mkdir /var/lib/etcd', undo: 'rmdir /var/lib/etcd', shows: ['files', '/var/lib/etcd'] },
  {
    kind: 'a new unit',
    does: 'printf "[Service]\\nType=oneshot\\nRemainAfterExit=yes\\nExecStart=true\\n" >/etc/systemd/system/extra.service; systemctl daemon-reload; systemctl start extra',
    undo: 'systemctl stop extra; rm /etc/systemd/system/extra.service; systemctl daemon-reload',
    shows: ['units', 'extra.service'],
  },
  {
    kind: 'an enabled unit',
    does: 'systemctl enable -q nftables',
    undo: 'systemctl disable -q nftables',
    shows: ['unitFiles', 'nftables.service'],
  },
  {
    kind: 'a sysctl',
    does: 'sysctl -qw net.ipv4.ip_forward=1',
    undo: 'sysctl -qw net.ipv4.ip_forward=0',
    shows: ['sysctls', 'net.ipv4.ip_forward'],
  },
  { kind: 'a user', does: 'useradd -M extra', undo: 'userdel extra', shows: ['users', 'extra'] },
  { kind: 'a mount', does: 'mount -t tmpfs tmpfs /mnt', undo: 'umount /mnt', shows: ['mounts', '/mnt'] },
  { kind: 'a link', does: 'ip link add br9 type bridge', undo: 'ip link delete br9', shows: ['links', 'br9'] },
  {
    kind: 'an address',
    does: 'ip address add 10.9.9.9/32 dev lo',
    undo: 'ip address delete 10.9.9.9/32 dev lo',
    shows: ['links', 'lo inet 10.9.9.9/32'],
  },
  {
    kind: 'a route',
    does: 'ip route add unreachable 10.9.0.0/16',
    undo: 'ip route delete unreachable 10.9.0.0/16',
    shows: ['routes', 'unreachable 10.9.0.0/16'],
  },
  {
    kind: 'an iptables rule',
    does: 'iptables -A INPUT -s 10.9.9.9 -j DROP',
    undo: 'nft delete table ip filter',
    shows: ['packetFilter', 'iptables -A INPUT -s 10.9.9.9/32 -j DROP'],
  },
  {
    kind: 'an nft table',
    does: 'nft add table inet extra',
    undo: 'nft delete table inet extra',
    shows: ['packetFilter', 'nft table inet extra {'],
  },
  {
    kind: 'a process',
    does: 'setsid sleep 4321 >/dev/null 2>&1 &',
    undo: 'kill $(pgrep -f "^sleep 4321")',
    shows: ['processes', 'root sleep 4321'],
  },
  {
    kind: 'a package',
    does: 'apt-get install -qq -y socat >/dev/null',
    undo: 'apt-get purge -qq -y socat >/dev/null',
    shows: ['packages', `socat:${process.arch === 'x64' ? 'amd64' : process.arch}`],
  },
] as const

describeLab('host snapshots', () => {
  test('are equal when nothing was done, and show every kind of change until it is undone', async () => {
    await withLab({ hosts: 1 }, async (lab) => {
      const before = await snapshotHost(lab, 'node1')
      expect(Object.keys(before.files).length).toBeGreaterThan(5000)
      expect(Object.keys(before.processes)).toContain('root sshd: /usr/sbin/sshd -D [listener]')
      expect(diffSnapshots(before, await snapshotHost(lab, 'node1'))).toEqual([])
      // A login must not look like a change either.
      expect((await lab.inNetwork(['ssh', '-F', lab.access.sshConfig, 'node1', 'true'])).code).toBe(0)
      expect(diffSnapshots(before, await snapshotHost(lab, 'node1'))).toEqual([])

      for (const { does } of changes) await lab.onHost('node1', does)
      const changed = diffSnapshots(before, await snapshotHost(lab, 'node1'))
      for (const { kind, shows } of changes) {
        const [section, name] = shows
        expect.soft(changed, kind).toContainEqual(expect.objectContaining({ section, name }))
      }

      for (const { undo } of [...changes].reverse()) await lab.onHost('node1', undo)
      expect(diffSnapshots(before, await snapshotHost(lab, 'node1'))).toEqual([])
    })
  })
})
