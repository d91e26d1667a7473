import type { Level } from '../event/index.ts'
import type { Secret } from '../util/secret.ts'
import type { HostName } from '../util/where.ts'
import type { Command } from './command.ts'
import type { Facts } from './facts.ts'
import type { Probe, StatesOf } from './probe.ts'

export interface Output {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  /** Set when more was printed than is kept (1 MiB a stream): the end is here, all of it went to `Scope.onLine`. */
  readonly truncated?: boolean
}

export interface RunOptions {
  readonly stdin?: string | Secret
  /** Exit codes that are not a failure; by default only 0. `any`: the caller looks at the code. */
  readonly ok?: readonly number[] | 'any'
}

/** What every change of one op carries along, in the same round trip as the change itself. */
export interface ChangeNote {
  /** A line for the host's ledger, written before the change takes effect. */
  readonly ledgerLine?: string
  /** The number of the run: the host refuses a change when it has seen a higher one. */
  readonly fence?: number
}

/** The circumstances a runner works under: one node of a run binds its own. */
export interface Scope {
  readonly signal: AbortSignal
  readonly note?: ChangeNote
  onLine?(stream: 'stdout' | 'stderr', line: string): void
  onProgress?(done: number, total: number): void
  log?(level: Level, message: string): void
}

/** What may be asked of a machine without changing it. */
export interface Reader {
  readonly host: HostName
  /** Runs a command as root. Fails with KX_COMMAND unless the exit code is among `ok`. */
  run(command: Command, options?: RunOptions): Promise<Output>
  /** Answers all probes in one round trip. */
  inspect<const P extends readonly Probe[]>(probes: P): Promise<StatesOf<P>>
  facts(): Promise<Facts>
  readonly files: FileReader
}

export interface FileReader {
  /** The content of a text file, or null where there is none. */
  read(path: string): Promise<string | null>
  /** The files of a directory, names only; empty where there is none. */
  list(path: string): Promise<readonly string[]>
  /** Brings a file to this machine. */
  download(path: string, localPath: string): Promise<void>
}

/** A machine that can be changed: everything a generic step needs, by noun. Root is taken when it is needed. */
export interface Runner extends Reader {
  readonly files: Files
  readonly services: Services
  readonly packages: Packages
  readonly users: Users
  readonly kernel: Kernel
  readonly system: System
  /** The same machine under other circumstances. */
  bind(scope: Scope): Runner
}

export interface FileAttributes {
  /** Octal, as in `0644`. */
  readonly mode: string
  /** `user:group`; by default `root:root`. */
  readonly owner?: string
}

export interface Files extends FileReader {
  /** Atomic: a temporary file beside it, synced, then renamed. Parent directories are made. */
  write(path: string, content: string | Secret, attributes: FileAttributes): Promise<void>
  /** Streams a file of this machine; skipped when the hash there is the same already. Atomic. */
  upload(localPath: string, path: string, attributes: FileAttributes & { readonly sha256?: string }): Promise<void>
  /** Adds text at the end of a file, synced to disk; makes the file (0600) when it is not there. Not atomic: for logs and ledgers only. */
  append(path: string, text: string): Promise<void>
  makeDirectory(path: string, attributes: FileAttributes): Promise<void>
  link(path: string, target: string): Promise<void>
  setAttributes(path: string, attributes: FileAttributes): Promise<void>
  /**
   * Removes a file, a link or an empty directory; `recursive` also a full one. Nothing there is no error.
   * `upTo` also removes the directories above it that are empty then, down from but not including that one.
   */
  remove(path: string, options?: { readonly recursive?: boolean; readonly upTo?: string }): Promise<void>
  /** Copies with mode, owner and times, making parent directories (0700). */
  copy(from: string, to: string): Promise<void>
  /** Unpacks a tar archive that is on the host (gzip, zstd, xz or none, found by content). */
  extract(archive: string, into: string, options?: { readonly strip?: number; readonly members?: readonly string[] }): Promise<void>
  /** Sets the text between two marks, appending the block when it is not there; null takes the block out. */
  setBlock(path: string, block: { readonly begin: string; readonly end: string }, text: string | null): Promise<void>
  /**
   * Makes the new content of a file from the old one and keeps mode and owner; begins again when somebody else changed it in between.
   * Every byte is one character. Nothing there is no error.
   */
  edit(path: string, change: (content: string) => string): Promise<void>
}

export interface Services {
  reloadUnits(): Promise<void>
  enable(unit: string): Promise<void>
  disable(unit: string): Promise<void>
  /** By default this ends when the unit says that it is ready, or has failed. */
  start(unit: string, options?: { readonly wait?: boolean }): Promise<void>
  stop(unit: string): Promise<void>
  restart(unit: string, options?: { readonly wait?: boolean }): Promise<void>
  /** Remembers the hash of these files as what the unit now runs with (see UnitState.current). */
  markCurrent(unit: string, files: readonly string[]): Promise<void>
  forgetCurrent(unit: string): Promise<void>
}

export interface Packages {
  /** Waits for a held package lock. Never upgrades what is installed already. */
  install(names: readonly string[]): Promise<void>
  /** From a directory of .deb or .rpm files on the host, without any network. */
  installFrom(directory: string, names: readonly string[]): Promise<void>
  /** With what they had pulled in and, unless it is to be kept, their configuration. */
  remove(names: readonly string[], options?: { readonly keepConfig?: boolean }): Promise<void>
}

export interface Users {
  add(user: {
    readonly name: string
    readonly system: boolean
    readonly home?: string
    readonly shell?: string
    readonly group?: string
  }): Promise<void>
  remove(name: string): Promise<void>
  addGroup(name: string): Promise<void>
  removeGroup(name: string): Promise<void>
}

export interface Kernel {
  setSysctl(key: string, value: string): Promise<void>
  loadModule(name: string): Promise<void>
  unloadModule(name: string): Promise<void>
}

export interface System {
  setHostname(name: string): Promise<void>
  setTimezone(name: string): Promise<void>
  swapOff(): Promise<void>
  swapOn(areas: readonly string[]): Promise<void>
  /** Takes effect at once; what holds at boot is a file like any other. */
  setSelinux(mode: 'enforcing' | 'permissive'): Promise<void>
  setFirewall(tool: 'firewalld' | 'ufw', state: { readonly active: boolean; readonly atBoot: boolean }): Promise<void>
}

/** Where kubexm keeps its own things on a host. The whole directory goes with the cluster. */
export const hostPaths = {
  root: '/var/lib/kubexm',
  ledger: '/var/lib/kubexm/ledger.jsonl',
  fence: '/var/lib/kubexm/fence',
  /** The hash of a unit's files at its last start, one file a unit. */
  current: '/var/lib/kubexm/current',
  backup: '/var/lib/kubexm/backup',
  /** Which cluster the host is part of, and what that cluster keeps. */
  membership: '/var/lib/kubexm/cluster.json',
} as const
