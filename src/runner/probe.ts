import type { Command } from './command.ts'

/** What can be asked about a host. Probes are data, so that many travel in one round trip and a simulated host can answer them too. */
export type Probe =
  | { readonly kind: 'file'; readonly path: string }
  /** Whether these files came out of the archive with this hash, as the mark beside them says; if not, how they are. */
  | { readonly kind: 'unpacked'; readonly mark: string; readonly sha256: string; readonly paths: readonly string[] }
  | { readonly kind: 'block'; readonly path: string; readonly begin: string; readonly end: string }
  | { readonly kind: 'unit'; readonly name: string; readonly files?: readonly string[] }
  | { readonly kind: 'package'; readonly name: string }
  | { readonly kind: 'packages'; readonly names: readonly string[] }
  | { readonly kind: 'user'; readonly name: string }
  | { readonly kind: 'group'; readonly name: string }
  | { readonly kind: 'sysctl'; readonly key: string }
  | { readonly kind: 'module'; readonly name: string }
  | { readonly kind: 'swap' }
  | { readonly kind: 'selinux' }
  | { readonly kind: 'firewall' }
  | { readonly kind: 'hostname' }
  | { readonly kind: 'timezone' }
  | { readonly kind: 'mount'; readonly path: string }
  | { readonly kind: 'command'; readonly command: Command }

/** A path as it is now. Content is never part of a state, only its hash: states go into journals and ledgers. */
export type FileState =
  /** `existing` is the deepest directory above the path that is there: what was missing goes away again with the file. */
  | { readonly type: 'absent'; readonly existing: string }
  | { readonly type: 'file'; readonly sha256: string; readonly mode: string; readonly owner: string; readonly size: number }
  | { readonly type: 'directory'; readonly mode: string; readonly owner: string; readonly empty: boolean }
  | { readonly type: 'link'; readonly target: string; readonly owner: string }
  | { readonly type: 'other' }

/** `replaced` is the hash of another archive that is unpacked there; the files are told in the order of the question, unless all is whole. */
export type UnpackedState = { readonly whole: boolean; readonly replaced: string | null; readonly files: readonly FileState[] }

/** A marked block in a text file; `text` is what stands between the marks. */
export type BlockState = { readonly file: boolean; readonly text: string | null }

export type UnitState = {
  /** As `systemctl is-active` says: active, inactive, failed, activating … */
  readonly active: string
  /** As `systemctl is-enabled` says: enabled, disabled, static, masked … ; `not-found` where there is no such unit. */
  readonly enabled: string
  /** Whether the unit's files as they are now are those it was last started with by us; null when no files were asked for. */
  readonly current: boolean | null
}

export type PackageState = { readonly version: string | null; readonly held: boolean }
/** Which of several packages are not installed; what another package provides counts as installed. */
export type PackagesState = { readonly missing: readonly string[] }
export type UserState = { readonly uid: number; readonly gid: number; readonly home: string; readonly shell: string } | null
export type GroupState = { readonly gid: number } | null
export type SysctlState = { readonly value: string | null; readonly writable: boolean }
/** A module counts as present when it is loaded or built into the kernel. */
export type ModuleState = { readonly present: boolean; readonly builtin: boolean }
export type SwapState = { readonly active: readonly string[] }
export type SelinuxState = { readonly mode: 'enforcing' | 'permissive' | 'disabled' | 'absent'; readonly configured: string | null }
export type FirewallState = { readonly tool: 'firewalld' | 'ufw' | null; readonly active: boolean; readonly atBoot: boolean }
export type HostnameState = { readonly current: string; readonly configured: string }
export type TimezoneState = { readonly name: string | null }
export type MountState = { readonly source: string; readonly type: string; readonly options: string } | null
export type CommandState = { readonly code: number; readonly stdout: string }

interface StateByKind {
  readonly file: FileState
  readonly unpacked: UnpackedState
  readonly block: BlockState
  readonly unit: UnitState
  readonly package: PackageState
  readonly packages: PackagesState
  readonly user: UserState
  readonly group: GroupState
  readonly sysctl: SysctlState
  readonly module: ModuleState
  readonly swap: SwapState
  readonly selinux: SelinuxState
  readonly firewall: FirewallState
  readonly hostname: HostnameState
  readonly timezone: TimezoneState
  readonly mount: MountState
  readonly command: CommandState
}

/** The answer to one probe. */
export type StateOf<P extends Probe> = StateByKind[P['kind']]
/** The answers to a list of probes, in its order. */
export type StatesOf<P extends readonly Probe[]> = { readonly [I in keyof P]: P[I] extends Probe ? StateOf<P[I]> : never }
