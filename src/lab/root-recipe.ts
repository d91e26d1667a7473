import { dedent } from '../util/dedent.ts'

/** A file of the root image. */
export interface RecipeFile {
  readonly path: string
  readonly content: string
  readonly mode?: number
}

/** A login of every lab host. All accept the lab's keys; the password is the same for all. */
export interface LabUser {
  readonly name: string
  readonly uid: number
  readonly sudo: 'without-password' | 'with-password' | 'none'
}

/** The password of every lab user, root included. A lab has no way out, so that it needs no secret. */
export const labPassword = 'kubexm-lab'

/** The users of a lab host besides root: one for every way a sudo rule can treat kubexm. */
export const labUsers: readonly LabUser[] = [
  { name: 'ops', uid: 1001, sudo: 'without-password' },
  { name: 'admin', uid: 1002, sudo: 'with-password' },
  { name: 'plain', uid: 1003, sudo: 'none' },
]

/** Where, on a host, the user certificate authority of the lab is. */
export const userCaPath = '/etc/ssh/lab-user-ca.pub'

/** Files here make a small host look small: the boot script puts them over those of the same name in /proc. */
export const guestDir = '/usr/lib/kubexm-lab'

/** Where, on a host, the offline package repository is. */
export const repositoryPath = '/srv/packages'

const bootScript = dedent`
  #!/bin/sh
  # Gives a container what a machine has: cgroups it may write, mounts that propagate, and the size the lab wants it to have.
  awk '$2 ~ "^/sys/fs/cgroup" && $4 ~ "(^|,)ro(,|$)" {print $2}' /proc/mounts | while read -r hierarchy; do
    mount -o remount,bind,rw "$hierarchy"
  done
  mount --make-rshared /
  for name in meminfo cpuinfo; do
    [ ! -e ${guestDir}/$name ] || mount --bind ${guestDir}/$name /proc/$name
  done
`

/** The one root that all lab hosts share: a fresh minimal Debian server. Any change here makes a new image. */
export const rootRecipe = {
  suite: 'bookworm',
  /** What such a server has before kubexm meets it. */
  packages: [
    ...['systemd', 'systemd-sysv', 'dbus', 'libpam-systemd', 'openssh-server', 'sudo'],
    ...['iproute2', 'iptables', 'nftables', 'iputils-ping', 'netbase', 'hostname', 'curl', 'ca-certificates', 'openssl'],
    ...['kmod', 'mount', 'util-linux', 'procps', 'psmisc', 'less', 'tar', 'xz-utils'],
  ],
  /** What kubexm installs: kept with all it depends on in a repository on the host, as a site without internet would have one. */
  repository: [
    ...['conntrack', 'socat', 'ethtool', 'ipset', 'ebtables', 'ipvsadm', 'chrony', 'rsync', 'jq', 'lsof', 'nfs-common', 'bash-completion'],
    ...['haproxy', 'keepalived', 'nginx-light', 'libnginx-mod-stream', 'ufw', 'docker.io', 'conmon', 'crun', 'python3-minimal'],
  ],
  files: [
    {
      path: '/etc/ssh/sshd_config.d/lab.conf',
      content: dedent`
        PermitRootLogin yes
        PasswordAuthentication yes
        KbdInteractiveAuthentication yes
        TrustedUserCAKeys ${userCaPath}
      `,
    },
    { path: `${guestDir}/boot`, content: bootScript, mode: 0o755 },
    {
      path: '/etc/systemd/system/lab-host.service',
      content: dedent`
        [Unit]
        Description=Make this lab host resemble a machine
        DefaultDependencies=no
        Before=sysinit.target
        [Service]
        Type=oneshot
        RemainAfterExit=yes
        ExecStart=${guestDir}/boot
        [Install]
        WantedBy=sysinit.target
      `,
    },
    // The kernel's log belongs to the machine: twenty hosts reading it all would be twenty copies.
    { path: '/etc/systemd/journald.conf.d/lab.conf', content: '[Journal]\nStorage=volatile\nRuntimeMaxUse=32M\nReadKMsg=no\n' },
    { path: '/etc/apt/sources.list', content: `deb [trusted=yes] file:${repositoryPath} ./\n` },
    // Nobody answers there unless a test starts a server; a query fails at once instead of hanging.
    { path: '/etc/resolv.conf', content: 'nameserver 10.77.0.1\n' },
  ] satisfies RecipeFile[],
  /** The network is set from outside, there are no devices to wait for, and nothing may start by the clock in the middle of a test. */
  masked: [
    ...['systemd-networkd.service', 'systemd-networkd.socket', 'systemd-resolved.service', 'systemd-timesyncd.service'],
    ...['systemd-udevd.service', 'systemd-udev-trigger.service', 'systemd-udevd-kernel.socket', 'systemd-udevd-control.socket'],
    ...['systemd-journald-audit.socket', 'console-getty.service', 'getty@.service', 'dev-hugepages.mount'],
    ...['sys-kernel-debug.mount', 'sys-kernel-tracing.mount', 'e2scrub_reap.service', 'systemd-pstore.service'],
    ...['apt-daily.timer', 'apt-daily-upgrade.timer', 'dpkg-db-backup.timer', 'e2scrub_all.timer', 'fstrim.timer'],
  ],
}
