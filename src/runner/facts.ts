/** What is known of a host before anything is planned for it; gathered in one round trip. */
export interface Facts {
  readonly hostname: string
  readonly machineId: string
  readonly productUuid: string | null
  readonly os: { readonly id: string; readonly idLike: readonly string[]; readonly version: string; readonly name: string }
  /** By ID and ID_LIKE, so that an unknown distribution of a known family works. */
  readonly family: 'debian' | 'rhel' | 'suse' | 'unknown'
  readonly packageManager: 'apt' | 'dnf' | 'yum' | 'zypper' | null
  readonly arch: 'amd64' | 'arm64' | string
  readonly cpus: number
  readonly memoryMiB: number
  readonly swapMiB: number
  readonly kernel: string
  readonly cgroup: 'v1' | 'v2' | 'hybrid'
  readonly init: string
  readonly virtualization: string
  readonly uptimeSeconds: number
  /** The host's clock minus ours, half the round trip taken off. */
  readonly clockOffsetMs: number
  readonly timezone: string | null
  readonly selinux: 'enforcing' | 'permissive' | 'disabled' | 'absent'
  readonly disks: readonly {
    readonly mount: string
    readonly device: string
    readonly type: string
    readonly sizeMiB: number
    readonly freeMiB: number
  }[]
  readonly interfaces: readonly {
    readonly name: string
    readonly mac: string
    readonly up: boolean
    readonly mtu: number
    readonly addresses: readonly string[]
  }[]
  readonly routes: readonly { readonly destination: string; readonly via: string | null; readonly interface: string }[]
  readonly listening: readonly {
    readonly protocol: 'tcp' | 'udp'
    readonly address: string
    readonly port: number
    readonly process: string | null
    readonly pid: number | null
  }[]
  readonly user: string
}
