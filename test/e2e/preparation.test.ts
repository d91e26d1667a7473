import { expect, test } from 'vitest'
import { noSwapView, swapFile, ufw } from '../support/broken-hosts.ts'
import { setInConfig } from '../support/config-file.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { kubexmIn } from '../support/kubexm.ts'
import { describeLab, type TestLab, withLab } from '../support/with-lab.ts'
import { runtimeFiles, withMirror } from '../support/with-mirror.ts'

/** One thing kubexm puts right: how a host is made to need it, and what a command says on it afterwards. */
interface Row {
  readonly what: string
  readonly host: string
  readonly before?: string
  readonly ask: string
  readonly says: RegExp
}

/** chrony keeps its hands off the clock, which is the machine's, and the host passes for a machine; all else is as on any host. */
const clockless = `printf '#!/bin/sh\\necho kvm\\n' > /usr/local/bin/systemd-detect-virt; chmod 755 /usr/local/bin/systemd-detect-virt
mkdir -p /etc/systemd/system/chrony.service.d
printf '[Unit]\\nConditionCapability=\\n[Service]\\nExecStart=\\nExecStart=!/usr/sbin/chronyd -x $DAEMON_OPTS\\n' > /etc/systemd/system/chrony.service.d/lab.conf
systemctl daemon-reload`

const config = {
  'system.ntpServers': ['node1'],
  'system.timezone': 'Asia/Shanghai',
  'system.debs': ['jq'],
  'system.preInstall': ['echo first >> /run/order'],
  'system.sysctlParams': { 'net.ipv4.tcp_keepalive_time': '600' },
  'extra.resolves': [{ address: '10.77.0.53' }],
  'extra.hosts': [{ domain: 'nexus.example.com', address: '10.77.0.50' }],
}

const rows: readonly Row[] = [
  { what: 'swap, now', host: 'node2', before: swapFile, ask: 'tail -n +2 /proc/swaps', says: /^$/ },
  { what: 'swap, at boot', host: 'node2', ask: 'cat /etc/fstab', says: /^# kubexm: \/var\/lib\/swapfile none swap sw 0 0$/m },
  {
    what: 'ufw, now and at boot',
    host: 'node2',
    before: ufw,
    ask: 'ufw status; cat /etc/ufw/ufw.conf',
    says: /Status: inactive[\s\S]*ENABLED=no/,
  },
  {
    what: 'the host name',
    host: 'node2',
    before: 'echo web7 > /etc/hostname; hostname web7',
    ask: 'hostname; cat /etc/hostname',
    says: /^node2\nnode2\n$/,
  },
  {
    what: 'an empty resolv.conf',
    host: 'node1',
    before: ': > /etc/resolv.conf',
    ask: 'cat /etc/resolv.conf',
    says: /^nameserver 10\.77\.0\.53$/m,
  },
  {
    what: 'a full resolv.conf',
    host: 'node2',
    ask: 'cat /etc/resolv.conf',
    says: /^nameserver 10\.77\.0\.53\n[\s\S]*^nameserver 10\.77\.0\.1$/m,
  },
  {
    what: 'cluster hosts by name',
    host: 'node1',
    ask: 'getent ahostsv4 node2 lb.kubexm.local nexus.example.com',
    says: /10\.77\.0\.12[\s\S]*10\.77\.0\.11[\s\S]*10\.77\.0\.50/,
  },
  {
    what: 'the managed block',
    host: 'node2',
    before: "echo '10.77.0.99 mine' >> /etc/hosts",
    ask: 'cat /etc/hosts',
    says: /10\.77\.0\.99 mine\n[\s\S]*# BEGIN KubeXM Managed Block\n[\s\S]*# END KubeXM Managed Block/,
  },
  {
    what: 'kernel parameters, at boot',
    host: 'node1',
    ask: 'cat /etc/sysctl.d/99-kubexm.conf',
    says: /^net\.ipv4\.tcp_keepalive_time = 600$/m,
  },
  {
    what: 'kernel parameters, now',
    host: 'node1',
    before: 'sysctl -q -w net.ipv4.ip_forward=0',
    ask: 'sysctl -n net.ipv4.ip_forward net.ipv4.tcp_keepalive_time',
    says: /^1\n600\n$/,
  },
  { what: 'kernel modules, at boot', host: 'node1', ask: 'cat /etc/modules-load.d/kubexm.conf', says: /^br_netfilter$/m },
  {
    what: 'packages of Kubernetes and of the config',
    host: 'node1',
    ask: 'which conntrack socat jq',
    says: /conntrack\n.*socat\n.*jq/,
  },
  { what: 'the time zone', host: 'node1', ask: 'date +%z', says: /^\+0800\n$/ },
  { what: 'limits', host: 'node1', ask: 'cat /etc/security/limits.d/kubexm.conf', says: /nofile/ },
  { what: 'log rotation', host: 'node1', ask: 'cat /etc/logrotate.d/kubexm', says: /rotate/ },
  { what: 'a command of the config, once', host: 'node1', ask: 'cat /run/order', says: /^first\n$/ },
  {
    what: 'a time server',
    host: 'node1',
    before: clockless,
    ask: 'cat /etc/chrony/chrony.conf',
    says: /^local stratum 10 orphan\nallow 10\.77\.0\.12$/m,
  },
  { what: 'a time client', host: 'node2', before: clockless, ask: 'cat /etc/chrony/chrony.conf', says: /^server 10\.77\.0\.11 iburst$/m },
  {
    what: 'the answer of the time server',
    host: 'node2',
    ask: 'for i in $(seq 40); do chronyc -n sources | grep "^\\^\\*" && break; sleep 0.5; done',
    says: /^\^\* 10\.77\.0\.11 +1[01] /,
  },
  {
    what: 'a file of somebody else by the name of one of ours',
    host: 'node1',
    before: 'mkdir -p /opt/cni/bin; echo mine > /opt/cni/bin/bridge',
    ask: 'head -c 4 /opt/cni/bin/bridge',
    says: /^.ELF/,
  },
]

const snapshots = (lab: TestLab) => Promise.all(lab.hosts.map(({ name }) => snapshotHost(lab, name)))

describeLab('preparing real hosts', () => {
  test('puts everything right, once, and delete puts everything back', () =>
    withLab({ hosts: 2 }, (lab) =>
      withMirror(lab, runtimeFiles, (mirror) =>
        inTemporaryDirectory(async (directory) => {
          const kubexm = await kubexmIn(lab, directory, mirror)
          await setInConfig(kubexm.config, config)
          await lab.onHost('node1', noSwapView)
          for (const { host, before } of rows) if (before !== undefined) await lab.onHost(host, before)
          const before = await snapshots(lab)

          const created = await kubexm('create', 'cluster', '--until', 'runtime')
          expect(created.stderr + created.stdout).toMatch(/create-cluster succeeded/)
          for (const { what, host, ask, says } of rows) expect.soft(await lab.onHost(host, ask), what).toMatch(says)
          expect((await kubexm('create', 'cluster', '--until', 'runtime')).stdout).toContain('nothing to change')

          const deleted = await kubexm('delete', 'cluster', '--yes', '--purge-data')
          expect(deleted.stderr + deleted.stdout).toMatch(/delete-cluster succeeded/)
          const after = await snapshots(lab)
          expect(before.flatMap((snapshot, i) => diffSnapshots(snapshot, after[i] ?? snapshot))).toEqual([])
        }),
      ),
    ))
})
