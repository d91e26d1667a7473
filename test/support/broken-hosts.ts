import { existsSync } from 'node:fs'
import type { HostOptions } from '../../src/lab/index.ts'
import type { Json } from '../../src/util/json.ts'
import type { TestLab } from './with-lab.ts'

/** What preflight has to say about a host, and how the host came to be so. */
export interface Breakage {
  readonly host: string
  readonly severity: 'error' | 'warning'
  readonly code: string
  readonly seen: RegExp
  readonly fix: RegExp
  /** Run as root on the host, or on the one named with it; none where config or lab have made the host so. */
  readonly script: string | { readonly on: string; readonly script: string } | null
}

const error = (host: string, code: string, seen: RegExp, fix: RegExp, script: Breakage['script'] = null): Breakage => ({
  ...{ host, severity: 'error', code, seen, fix, script },
})
const warning = (...row: Parameters<typeof error>): Breakage => ({ ...error(...row), severity: 'warning' })

/** A small master, an ordinary worker, a worker with one CPU. */
export const brokenHosts: readonly HostOptions[] = [{ memoryMiB: 1500 }, {}, { cpus: 1 }]

/** Swap is the machine's, so that every host would show what one of them turned on: this host is given a view of its own, without any. */
export const noSwapView = `sed 's/^Swap\\(Total\\|Free\\|Cached\\):.*/Swap\\1: 0 kB/' /proc/meminfo > /run/meminfo; mount --bind /run/meminfo /proc/meminfo
head -n 1 /proc/swaps > /run/swaps; mount --bind /run/swaps /proc/swaps`

/** Swap on a file, now and at boot. */
export const swapFile = `dd if=/dev/zero of=/var/lib/swapfile bs=1M count=16 status=none; chmod 600 /var/lib/swapfile
mkswap -q /var/lib/swapfile >/dev/null; swapon /var/lib/swapfile; echo '/var/lib/swapfile none swap sw 0 0' >> /etc/fstab`

/** The firewall of Debian, letting in nothing but SSH. */
export const ufw = 'apt-get -qq install -y ufw >/dev/null 2>&1; ufw allow 22/tcp >/dev/null; ufw --force enable >/dev/null'

/** Calls a host by another name, now and at boot. */
const rename = (name: string): string => `echo ${name} > /etc/hostname; hostname ${name}`

/** The clock itself is the machine's: what is shifted is the program that tells the time, put before the real one. */
const clockAhead = `printf '#!/bin/sh\\nexec /usr/bin/date -d "+90 seconds" "$@"\\n' > /usr/local/bin/date; chmod 755 /usr/local/bin/date`

/** A program of this name that listens on a port and does nothing else. */
export const holdPort = (name: string, port: number): string =>
  `printf '#!/usr/bin/perl\\nuse IO::Socket::INET; $0 = q(${name}); my $s = IO::Socket::INET->new(LocalPort => ${port}, Listen => 5) or die; sleep\\n' > /usr/local/bin/${name}
chmod 755 /usr/local/bin/${name}; systemd-run -q --unit=${name} /usr/local/bin/${name}
until ss -H -l -n -t | grep -q :${port}; do sleep 0.1; done`

const callSystem = (id: string, name: string): string =>
  `rm /etc/os-release; sed 's/^ID=.*/${id}/; s/^PRETTY_NAME=.*/PRETTY_NAME="${name}"/' /usr/lib/os-release > /etc/os-release`

const enabledUnit = (name: string): string =>
  `printf '[Service]\\nExecStart=/bin/sleep 9\\n[Install]\\nWantedBy=multi-user.target\\n' > /etc/systemd/system/${name}.service
systemctl daemon-reload; systemctl -q enable ${name}`

const smallDisk = 'mkdir -p /var/lib/kubelet; mount -t tmpfs -o size=64m tmpfs /var/lib/kubelet'
const sameMachineId = 'echo 00000000000000000000000000000001 > /etc/machine-id'

/** A disk that manages a hundred writes a second, where the machine's cgroups can slow it down. */
const slowsDisks = existsSync('/sys/fs/cgroup/blkio/blkio.throttle.write_iops_device')
const slowDisk = 'echo "$(mountpoint -d /var/lib) 100" > /sys/fs/cgroup/blkio/blkio.throttle.write_iops_device'

/** While kubexm may repair what it can. */
export const breakages: readonly Breakage[] = [
  error('node1', 'KX_MEMORY_TOO_SMALL', /^1500 MiB .* 4096 MiB .* etcd, master$/, /preflight\.minMasterMemoryMB/),
  error(
    'node1',
    'KX_PORT_TAKEN',
    /^port 6443\/tcp, which kube-apiserver needs, is held by billing \(pid \d+\)$/,
    /^stop billing/,
    holdPort('billing', 6443),
  ),
  error(
    'node1',
    'KX_FOREIGN_RUNTIME',
    /^containerd is on the host already/,
    /adopt/,
    'apt-get -qq install -y containerd >/dev/null 2>&1; systemctl -q is-active containerd',
  ),
  error('node1', 'KX_RESOLV_MISSING', /^\/etc\/resolv\.conf names no name server$/, /extra\.resolves/, ': > /etc/resolv.conf'),
  error(
    'node1',
    'KX_HOSTS_CONFLICT',
    /calls 10\.9\.9\.9 node2, which is 10\.77\.0\.12/,
    /remove the line "10\.9\.9\.9/,
    "echo '10.9.9.9 node2' >> /etc/hosts",
  ),
  error('node1', 'KX_PORT_UNREACHABLE', /node3 \(10\.77\.0\.13\) on port 10250 \(kubelet\): no answer within 2 s/, /10250\/tcp/, {
    on: 'node3',
    script: 'iptables -I INPUT -p tcp --dport 10250 -j DROP',
  }),
  warning('node2', 'KX_SWAP_ON', /^swap is on: \/var\/lib\/swapfile$/, /kubexm turns it off/, swapFile),
  warning('node2', 'KX_FIREWALL_ON', /^ufw is active$/, /kubexm turns it off/, ufw),
  warning(
    'node2',
    'KX_HOSTNAME',
    /^the host is called localhost, the config calls it node2$/,
    /kubexm names it node2/,
    rename('localhost'),
  ),
  error(
    'node2',
    'KX_FOREIGN_KUBERNETES',
    /\/etc\/kubernetes\/manifests$/,
    /kubeadm reset/,
    'mkdir -p /etc/kubernetes/manifests; echo x > /etc/kubernetes/manifests/web.yaml',
  ),
  error(
    'node2',
    'KX_CIDR_ROUTE',
    /^kubePodsCIDR 10\.233\.64\.0\/18 overlaps 10\.233\.70\.0\/24/,
    /network\.kubePodsCIDR/,
    'ip route add 10.233.70.0/24 via 10.77.0.1',
  ),
  warning('node2', 'KX_OTHER_RUNTIME', /cri-o/, /./, enabledUnit('crio')),
  error('node2', 'KX_DUPLICATE_MACHINE_ID', /node3/, /machine-id/, sameMachineId),
  error('node3', 'KX_DUPLICATE_MACHINE_ID', /node2/, /machine-id/, sameMachineId),
  error('node3', 'KX_CPU_TOO_FEW', /^1 CPU, at least 2 .* etcd, worker$/, /preflight\.minCPUCores/),
  error('node3', 'KX_CLOCK_APART', /by \+(89|90|91)\.\d s, 5 s are allowed$/, /system\.ntpServers/, clockAhead),
  error('node3', 'KX_DISK_TOO_SMALL', /^\/var\/lib\/kubelet has 6\d MiB free, 1024 MiB are needed/, /mount a larger disk/, smallDisk),
  warning('node3', 'KX_OS_UNTESTED', /^Mint 21 is not among the tested/, /./, callSystem('ID=mint\\nID_LIKE=debian', 'Mint 21')),
  warning('node3', 'KX_LOCALHOST', /localhost/, /127\.0\.0\.1/, "sed -i '/localhost/d' /etc/hosts"),
]

/** A config that leaves the operating system alone and asks for what is not there. */
export const demandingConfig: Readonly<Record<string, Json>> = {
  'system.skipConfigureOS': true,
  'system.modules': ['no_such_module'],
  'preflight.minKernel': '99.0',
  'preflight.skipChecks': [],
  'hosts.1.arch': 'arm64',
  'hosts.1.internalAddress': '10.77.0.99',
  'registry.type': 'external',
  'registry.privateRegistry': '10.77.0.98:5000',
  'registry.registryMirrors': ['http://10.77.0.97'],
  'global.artifactMirror': 'http://10.77.0.96',
  'controlPlaneEndpoint.externalLoadBalancer': 'external',
  'controlPlaneEndpoint.lb_address': '10.77.0.95',
}

/** While kubexm must not repair anything, on top of what was broken before. */
export const moreBreakages: readonly Breakage[] = [
  error('node1', 'KX_KERNEL_OLD', /is older than 99\.0$/, /preflight\.minKernel/),
  error('node1', 'KX_KERNEL_MODULE', /has no module no_such_module, which system\.modules needs/, /./),
  error(
    'node1',
    'KX_RESOLV_LOOP',
    /names 127\.0\.0\.1: CoreDNS would ask itself/,
    /upstreamDNSServers/,
    'echo nameserver 127.0.0.1 > /etc/resolv.conf',
  ),
  error('node1', 'KX_REGISTRY_UNREACHABLE', /10\.77\.0\.98:5000 is out of reach/, /registry\.privateRegistry/),
  warning('node1', 'KX_MIRROR_UNREACHABLE', /10\.77\.0\.97 is out of reach/, /mirror/),
  warning('node1', 'KX_LB_UNREACHABLE', /10\.77\.0\.95:6443 is out of reach/, /port 6443/),
  error('node2', 'KX_HOSTNAME_KEPT', /localhost/, /./),
  error('node2', 'KX_SWAP_KEPT', /\/var\/lib\/swapfile/, /preflight\.disableSwap/),
  warning('node2', 'KX_FIREWALL_KEPT', /ufw is active and stays so/, /10250\/tcp/),
  error('node2', 'KX_ARCH_MISMATCH', /the config says arm64$/, /arch: /),
  error('node2', 'KX_ADDRESS_MISSING', /no interface of the host has 10\.77\.0\.99/, /10\.77\.0\.12/),
  error('node2', 'KX_DUPLICATE_HOSTNAME', /node3/, /./),
  error('node2', 'KX_CLOCK_SKEW', /\+(89|90|91)\.\d s/, /./, clockAhead),
  error('node1', 'KX_CLOCK_SKEW', /\+(89|90|91)\.\d s/, /./, clockAhead),
  error('node3', 'KX_HOSTNAME_KEPT', /localhost/, /./, rename('localhost')),
  ...(slowsDisks
    ? [warning('node3', 'KX_ETCD_DISK_SLOW', /^a synced write to \/var\/lib takes \d+\.\d ms on average/, /SSD/, slowDisk)]
    : []),
  error('node3', 'KX_NAMESERVER_SILENT', /10\.77\.0\.1 of \/etc\/resolv\.conf does not answer/, /port 53/),
  error('node3', 'KX_OS_UNSUPPORTED', /^Plan 9 is of no family/, /Debian or Red Hat/, callSystem('ID=plan9', 'Plan 9')),
  warning('local', 'KX_ARTIFACT_SOURCE_UNREACHABLE', /http:\/\/10\.77\.0\.96/, /global\.artifactMirror/),
]

/** Breaks hosts, all of them at once, each in the order of its rows. */
export async function breakHosts(lab: TestLab, rows: readonly Breakage[]): Promise<void> {
  const scripts = rows.flatMap(({ host, script }) =>
    script === null ? [] : typeof script === 'string' ? [{ on: host, script }] : [script],
  )
  await Promise.all(
    [...Map.groupBy(scripts, ({ on }) => on)].map(([host, own]) => lab.onHost(host, own.map(({ script }) => script).join('\n'))),
  )
}
