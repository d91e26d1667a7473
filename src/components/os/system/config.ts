import * as z from 'zod'
import { field, filledText, list, text, words } from '../../../config/primitives.ts'

/** How the operating system of every host is prepared. */
export const systemConfig = {
  ntpServers: field(list(filledText()), 'Time servers: domain names, addresses, or a host of this cluster, which then serves the others.', [
    'ntp.aliyun.com',
    'node1',
  ]),
  timezone: field(
    text(/^$|^[A-Za-z0-9_+-]+(\/[A-Za-z0-9_+-]+)*$/, 'a time zone', 'Asia/Shanghai').default(''),
    'Time zone of every host; empty leaves it.',
    'Asia/Shanghai',
  ),
  rpms: field(list(filledText()), 'Further packages on hosts with rpm.', ['nfs-utils']),
  debs: field(list(filledText()), 'Further packages on hosts with deb.', ['nfs-common']),
  packageManager: field(
    z.enum(['apt', 'dnf', 'yum', 'zypper']).optional(),
    'Package manager to use; by default the one the host has.',
    'dnf',
  ),
  preInstall: field(list(filledText()), 'Commands on every host before it is prepared.', ['sysctl -w vm.swappiness=0']),
  postInstall: field(list(filledText()), 'Commands on every host after the cluster is up.', ['systemctl restart rsyslog']),
  skipConfigureOS: field(z.boolean().default(false), 'Leave the operating system as it is; it must then already fit.', false),
  modules: field(list(text(/^[\w-]+$/, 'the name of a kernel module', 'nf_conntrack')), 'Further kernel modules to load.', [
    'nf_conntrack',
  ]),
  sysctlParams: field(words(), 'Further kernel parameters.', { 'vm.max_map_count': '262144' }),
}
