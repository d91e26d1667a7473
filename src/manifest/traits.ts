import { minorOf } from '../config/catalogue/versions.ts'

/** What the minor versions of Kubernetes do differently, as far as what their programs are told depends on it. */
export interface VersionTraits {
  /** The kubelet refuses to start on cgroup v1 unless its configuration says `failCgroupV1: false`. */
  readonly kubeletRefusesCgroupV1: boolean
}

/** Each row holds from its minor version on; what it does not name stays as it was. */
const table: readonly { readonly since: number; readonly traits: Partial<VersionTraits> }[] = [
  { since: 0, traits: { kubeletRefusesCgroupV1: false } },
  { since: 35, traits: { kubeletRefusesCgroupV1: true } },
]

/** What holds for a version of Kubernetes. */
export function traitsOf(version: string): VersionTraits {
  const minor = minorOf(version)
  return Object.assign({}, ...table.filter(({ since }) => since <= minor).map(({ traits }) => traits)) as VersionTraits
}
