import { describe, expect, it } from 'vitest'
import { parseFacts, type RawFacts } from './facts-parse.ts'

const raw: RawFacts = {
  clock: '1700000000.500000000\n',
  user: 'ubuntu\n',
  hostname: 'node1\n',
  machineId: '0123456789abcdef0123456789abcdef\n',
  productUuid: '4C4C4544-0000-2010-8020-80C04F202020\n',
  osRelease: 'PRETTY_NAME="Ubuntu 24.04.1 LTS"\nID=ubuntu\nID_LIKE=debian\nVERSION_ID="24.04"\n# a comment\n',
  managers: '/usr/bin/apt-get\n',
  kernel: '6.8.0-41-generic x86_64\n',
  cpus: '8\n',
  memory: 'MemTotal:       16384000 kB\nMemFree:  1 kB\nSwapTotal:       2097148 kB\n',
  cgroup: 'cgroup2fs\n',
  init: 'systemd\n',
  virtualization: 'kvm\n',
  uptime: '12345.67 54321.00\n',
  timezone: 'Asia/Shanghai\n',
  selinux: 'absent\n',
  disks: `Filesystem     Type     1048576-blocks  Used Available Capacity Mounted on
tmpfs          tmpfs              1600     2      1598       1% /run
/dev/vda1      ext4             100000 20000     80000      20% /
/dev/vdb       xfs              500000     1    499999       1% /var/lib/my disk
overlay        overlay          100000 20000     80000      20% /var/lib/docker/overlay2/x/merged
tmpfs          tmpfs                64     0        64       0% /var/lib/etcd
tmpfs          tmpfs                64     0        64       0% /var/lib/kubelet/pods/x/volumes/secret
`,
  links: `1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\\    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq state UP mode DEFAULT group default qlen 1000\\    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff
3: veth1@if2: <BROADCAST,MULTICAST,UP> mtu 1450 qdisc noqueue state LOWERLAYERDOWN mode DEFAULT group default \\    link/ether aa:bb:cc:dd:ee:ff brd ff:ff:ff:ff:ff:ff link-netnsid 0
4: wg0: <POINTOPOINT,NOARP,UP,LOWER_UP> mtu 1420 qdisc noqueue state UNKNOWN mode DEFAULT group default qlen 1000\\    link/none
`,
  addresses: `1: lo    inet 127.0.0.1/8 scope host lo\\       valid_lft forever preferred_lft forever
2: eth0    inet 172.16.0.5/24 brd 172.16.0.255 scope global eth0\\       valid_lft forever preferred_lft forever
2: eth0    inet6 fe80::1/64 scope link \\       valid_lft forever preferred_lft forever
`,
  routes: `default via 172.16.0.1 dev eth0 proto dhcp metric 100
172.16.0.0/24 dev eth0 proto kernel scope link src 172.16.0.5
blackhole 10.0.0.0/8
unicast fd00::/64 dev eth0 proto kernel metric 256 pref medium
`,
  listening: `tcp   LISTEN 0      128          0.0.0.0:22        0.0.0.0:*    users:(("sshd",pid=812,fd=3))
udp   UNCONN 0      0      127.0.0.53%lo:53        0.0.0.0:*    users:(("systemd-resolve",pid=600,fd=13))
tcp   LISTEN 0      4096            [::]:10250        [::]:*
tcp   LISTEN 0      4096               *:6443            *:*    users:(("kube-apiserver",pid=99,fd=7),("x",pid=1,fd=2))
`,
}

describe('facts', () => {
  it('are read from what the tools print', () => {
    expect(parseFacts(raw, 1_700_000_000_000, 1_700_000_000_200)).toEqual({
      hostname: 'node1',
      machineId: '0123456789abcdef0123456789abcdef',
      productUuid: '4c4c4544-0000-2010-8020-80c04f202020',
      os: { id: 'ubuntu', idLike: ['debian'], version: '24.04', name: 'Ubuntu 24.04.1 LTS' },
      family: 'debian',
      packageManager: 'apt',
      arch: 'amd64',
      cpus: 8,
      memoryMiB: 16000,
      swapMiB: 2047,
      kernel: '6.8.0-41-generic',
      cgroup: 'v2',
      init: 'systemd',
      virtualization: 'kvm',
      uptimeSeconds: 12345,
      clockOffsetMs: 400,
      timezone: 'Asia/Shanghai',
      selinux: 'absent',
      disks: [
        { mount: '/', device: '/dev/vda1', type: 'ext4', sizeMiB: 100_000, freeMiB: 80_000 },
        { mount: '/var/lib/my disk', device: '/dev/vdb', type: 'xfs', sizeMiB: 500_000, freeMiB: 499_999 },
        { mount: '/var/lib/etcd', device: 'tmpfs', type: 'tmpfs', sizeMiB: 64, freeMiB: 64 },
      ],
      interfaces: [
        { name: 'lo', mac: '00:00:00:00:00:00', up: true, mtu: 65536, addresses: ['127.0.0.1/8'] },
        { name: 'eth0', mac: '52:54:00:12:34:56', up: true, mtu: 1500, addresses: ['172.16.0.5/24', 'fe80::1/64'] },
        { name: 'veth1', mac: 'aa:bb:cc:dd:ee:ff', up: false, mtu: 1450, addresses: [] },
        { name: 'wg0', mac: '', up: true, mtu: 1420, addresses: [] },
      ],
      routes: [
        { destination: 'default', via: '172.16.0.1', interface: 'eth0' },
        { destination: '172.16.0.0/24', via: null, interface: 'eth0' },
        { destination: 'fd00::/64', via: null, interface: 'eth0' },
      ],
      listening: [
        { protocol: 'tcp', address: '0.0.0.0', port: 22, process: 'sshd', pid: 812 },
        { protocol: 'udp', address: '127.0.0.53', port: 53, process: 'systemd-resolve', pid: 600 },
        { protocol: 'tcp', address: '::', port: 10250, process: null, pid: null },
        { protocol: 'tcp', address: '*', port: 6443, process: 'kube-apiserver', pid: 99 },
      ],
      user: 'ubuntu',
    })
  })

  it.each([
    ['ID=rocky\nID_LIKE="rhel centos fedora"', 'rhel'],
    ['ID="openEuler"', 'rhel'],
    ['ID=neon\nID_LIKE="ubuntu debian"', 'debian'],
    ['ID="opensuse-leap"\nID_LIKE="suse opensuse"', 'suse'],
    ["ID='arch'", 'unknown'],
    ['', 'unknown'],
  ])('%j is of the family %s', (osRelease, family) => expect(parseFacts({ ...raw, osRelease }, 0, 0).family).toBe(family))

  it('know the rest of what differs between hosts', () => {
    const facts = parseFacts(
      {
        ...raw,
        kernel: '5.10.0 aarch64\n',
        cgroup: 'tmpfs\nunified\n',
        selinux: '1\n',
        managers: '/usr/bin/dnf\n/usr/bin/yum\n',
        productUuid: '',
        timezone: '',
        disks: 'head\noverlay overlay 10 1 9 10% /\n',
      },
      0,
      0,
    )
    expect(facts).toMatchObject({
      arch: 'arm64',
      cgroup: 'hybrid',
      selinux: 'enforcing',
      packageManager: 'dnf',
      productUuid: null,
      timezone: null,
    })
    expect(facts.disks).toEqual([{ mount: '/', device: 'overlay', type: 'overlay', sizeMiB: 10, freeMiB: 9 }])
    expect(parseFacts({ ...raw, cgroup: 'tmpfs\n' }, 0, 0).cgroup).toBe('v1')
  })

  it('of a host that answers nothing are empty, not wrong', () => {
    const none = Object.fromEntries(Object.keys(raw).map((name) => [name, ''])) as unknown as RawFacts
    expect(parseFacts(none, 0, 0)).toMatchObject({
      os: { id: 'unknown' },
      cpus: 1,
      memoryMiB: 0,
      interfaces: [],
      routes: [],
      listening: [],
      disks: [],
    })
  })
})
