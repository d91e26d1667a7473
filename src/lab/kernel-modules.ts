import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { release } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { run } from './command.ts'
import { labCacheDir } from './paths.ts'

/** Where the source of a module that Kubernetes hosts ask for is, by the kernel option that builds it. */
const modules: Readonly<Record<string, string>> = {
  OVERLAY_FS: 'fs/overlayfs/overlay',
  FUSE_FS: 'fs/fuse/fuse',
  NFS_FS: 'fs/nfs/nfs',
  BRIDGE: 'net/bridge/bridge',
  BRIDGE_NETFILTER: 'net/bridge/br_netfilter',
  NF_CONNTRACK: 'net/netfilter/nf_conntrack',
  NF_NAT: 'net/netfilter/nf_nat',
  NF_TABLES: 'net/netfilter/nf_tables',
  NETFILTER_XT_MATCH_CONNTRACK: 'net/netfilter/xt_conntrack',
  NETFILTER_XT_SET: 'net/netfilter/xt_set',
  IP_SET: 'net/netfilter/ipset/ip_set',
  IP_VS: 'net/netfilter/ipvs/ip_vs',
  IP_VS_RR: 'net/netfilter/ipvs/ip_vs_rr',
  IP_VS_WRR: 'net/netfilter/ipvs/ip_vs_wrr',
  IP_VS_SH: 'net/netfilter/ipvs/ip_vs_sh',
  IP_NF_IPTABLES: 'net/ipv4/netfilter/ip_tables',
  IP_NF_NAT: 'net/ipv4/netfilter/iptable_nat',
  IP_NF_FILTER: 'net/ipv4/netfilter/iptable_filter',
  IP6_NF_IPTABLES: 'net/ipv6/netfilter/ip6_tables',
  NET_IPIP: 'net/ipv4/ipip',
  VXLAN: 'drivers/net/vxlan/vxlan',
  VETH: 'drivers/net/veth',
  DUMMY: 'drivers/net/dummy',
  MACVLAN: 'drivers/net/macvlan',
  TUN: 'drivers/net/tun',
  WIREGUARD: 'drivers/net/wireguard/wireguard',
}

/** The lines of `modules.builtin` that a kernel with this configuration would have, as far as Kubernetes hosts ask for them. */
export function builtinModules(kernelConfig: string): string[] {
  const builtin = new Set(Array.from(kernelConfig.matchAll(/^CONFIG_(\w+)=y$/gm), ([, option]) => option))
  return Object.entries(modules)
    .filter(([option]) => builtin.has(option))
    .map(([, path]) => `kernel/${path}.ko`)
}

/**
 * The directory that hosts see as /lib/modules. The machine's own where it has one; a kernel without any gets one made from its
 * configuration, so that `modprobe` succeeds for what is built in and fails truthfully for what is not. Null when neither can be had.
 */
export async function ensureModulesDirectory(rootImage: string): Promise<string | null> {
  const kernel = release()
  if (existsSync(join('/lib/modules', kernel))) return '/lib/modules'
  if (!existsSync('/proc/config.gz')) return null
  const directory = join(labCacheDir(), `modules-${kernel}`)
  if (existsSync(directory)) return directory
  const lines = builtinModules(gunzipSync(await readFile('/proc/config.gz')).toString())
  const building = await mkdtemp(`${directory}.building-`)
  const target = join(building, 'lib/modules', kernel)
  await mkdir(target, { recursive: true })
  await writeFile(join(target, 'modules.order'), '')
  await writeFile(join(target, 'modules.builtin'), `${lines.join('\n')}\n`)
  // depmod of the image: the machine need not have it. The mount ends with the command.
  const script = 'mount --bind "$1" "$2/mnt"; chroot "$2" depmod -b /mnt "$3"'
  await run(['unshare', '--mount', 'sh', '-ec', script, 'sh', building, rootImage, kernel])
  try {
    await rename(join(building, 'lib/modules'), directory)
  } catch (error) {
    // Another kubexm made the same directory in the meantime.
    if (!existsSync(directory)) throw error
  }
  await rm(building, { recursive: true, force: true })
  return directory
}
