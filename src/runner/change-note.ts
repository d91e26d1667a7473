import { quote } from './command.ts'
import { type ChangeNote, hostPaths } from './runner.ts'

/** Puts the fence and the ledger line of an op before its changes. */
export interface NoteKeeper {
  /** Runs a change with the lines that must come before its script. */
  ahead<T>(change: (prefix: string) => Promise<T>): Promise<T>
}

/** Keeps count for one op: the fence is checked before every change, the ledger line is written before the first one only. */
export function changeNote(note: ChangeNote | undefined): NoteKeeper {
  let ledger: 'due' | 'unsure' | 'written' = note?.ledgerLine === undefined ? 'written' : 'due'
  let first: Promise<unknown> | null = null
  return {
    ahead: async (change) => {
      // Changes of one op that run side by side must not write its line twice: the others wait for the first.
      while (ledger !== 'written' && first !== null) await first
      if (ledger === 'written') return await change(noteScript(note, null))
      const own = change(noteScript(note, ledger))
      first = own.then(
        () => {
          ledger = 'written'
        },
        (thrown: unknown) => {
          // An error with an exit code behind it came after the line; a lost connection leaves it open.
          const code = (thrown as { code?: unknown }).code
          ledger = code === 'KX_CONNECTION_LOST' || code === 'KX_FENCED' || typeof code !== 'string' ? 'unsure' : 'written'
          first = null
        },
      )
      return await own
    },
  }
}

/**
 * The shell that checks the fence and writes the ledger. It ends the script when the host has seen a newer run or the ledger cannot
 * be written: nothing is changed that is not on record. `flock` on the directory needs no file of its own.
 */
export function noteScript(note: ChangeNote | undefined, ledger: 'due' | 'unsure' | null): string {
  const withLine = ledger !== null && note?.ledgerLine !== undefined
  if (note === undefined || (note.fence === undefined && !withLine)) return ''
  const { root } = hostPaths
  return [
    `kx_unnoted() { printf '\\036kx:unnoted %s\\036\\n' "$1" >&2; exit 75; }`,
    `[ -d ${root} ] || (umask 077 && mkdir -p ${root}) || kx_unnoted ${root}`,
    `exec 9<${root} && flock 9 || kx_unnoted ${root}`,
    ...(note.fence === undefined ? [] : fenceLines(note.fence)),
    ...(withLine && note.ledgerLine !== undefined ? ledgerLines(note.ledgerLine, ledger === 'unsure') : []),
    // The lock must not be inherited by a service that the change starts.
    'exec 9<&-',
    '',
  ].join('\n')
}

function fenceLines(own: number): readonly string[] {
  const { fence } = hostPaths
  return [
    'kx_seen=0',
    `[ ! -s ${fence} ] || read -r kx_seen < ${fence}`,
    `if [ "$kx_seen" -gt ${own} ]; then printf '\\036kx:fenced %s\\036\\n' "$kx_seen" >&2; exit 75; fi`,
    `[ "$kx_seen" -ge ${own} ] || { (umask 077 && echo ${own} > ${fence}.new) && ${synced(`${fence}.new`)} && mv -f ${fence}.new ${fence}; } || kx_unnoted ${fence}`,
  ]
}

function ledgerLines(line: string, mayBeThere: boolean): readonly string[] {
  const { ledger } = hostPaths
  const append = `{ (umask 077 && printf '%s\\n' ${quote(line)} >> ${ledger}) && ${synced(ledger)}; } || kx_unnoted ${ledger}`
  return [
    // A line without an end was being written when the power failed: its change never began.
    `[ ! -s ${ledger} ] || [ -z "$(tail -c 1 ${ledger})" ] || sed -i '$d' ${ledger}`,
    mayBeThere ? `[ "$(tail -n 1 ${ledger} 2>/dev/null)" = ${quote(line)} ] || ${append}` : append,
  ]
}

/** Before coreutils 8.24 `sync` knows no files and writes out everything. */
const synced = (path: string): string => `{ sync ${path} 2>/dev/null || sync; }`
