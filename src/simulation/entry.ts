import type { Content } from './content.ts'

interface Attributes {
  /** Four octal digits. */
  readonly mode: string
  /** `user:group`. */
  readonly owner: string
  readonly modified: number
}
/** A regular file. */
export interface FileEntry extends Attributes {
  readonly type: 'file'
  readonly content: Content
}
/** A directory; `bytes` is what all files below it hold, kept up to date so that disk usage costs nothing to know. */
export interface DirectoryEntry extends Attributes {
  readonly type: 'directory'
  readonly children: ReadonlyMap<string, Entry>
  readonly bytes: number
}
/** A symbolic link. */
export interface LinkEntry extends Attributes {
  readonly type: 'link'
  readonly target: string
}
/** A device, a socket or a pipe. */
export interface OtherEntry extends Attributes {
  readonly type: 'other'
}
/** What can stand at a path. Entries never change: a changed tree shares all it has in common with the old one. */
export type Entry = FileEntry | DirectoryEntry | LinkEntry | OtherEntry
