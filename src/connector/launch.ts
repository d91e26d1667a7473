import { randomBytes } from 'node:crypto'

/** How a command is started under `/bin/sh`, and how its output and its processes are recognised afterwards. */
export interface Launch {
  /** One line for the login shell: understood alike by sh, bash, zsh, fish and csh. */
  readonly line: string
  /** The same as arguments of `/bin/sh`, where no login shell is in between. */
  readonly argv: readonly string[]
  /** What must be sent on stdin before the command's own input. */
  readonly stdinPrefix: string
  /** Printed on both streams when the command starts: what comes before it is the login shell's start-up files talking. */
  readonly marker: Buffer
  /** Ends every process of this command; run on the same machine. */
  readonly killScript: string
}

// One argument may have at most 128 KiB on Linux: longer commands travel over stdin.
const longestArgument = 100_000

// The mark is on the command line and in the environment: `exec` loses the one, sudo the other.
const announce = 'KX_COMMAND=$1; export KX_COMMAND; printf "\\036%s\\036" "$1"; printf "\\036%s\\036" "$1" >&2; '
const fromArgument = `${announce}kx_c=$2; set --; eval "$(printf %b "$kx_c")"`
// Nothing to decode: that saves a process.
const fromPlainArgument = `${announce}kx_c=$2; set --; eval "$kx_c"`
// `read` takes one byte at a time from a pipe, so the command's own input stays untouched.
const fromStdin = `${announce}set --; IFS= read -r kx_c; eval "$(printf %b "$kx_c")"`

/** Prepares the start of a command. */
export function launch(command: string, id: string = `kx-${randomBytes(9).toString('hex')}`): Launch {
  const encoded = encode(command)
  const long = encoded.length > longestArgument
  const argv = long ? ['-c', fromStdin, 'sh', id] : ['-c', encoded === command ? fromPlainArgument : fromArgument, 'sh', id, encoded]
  return {
    argv,
    line: `exec /bin/sh ${argv.map((word) => `'${word}'`).join(' ')}`,
    stdinPrefix: long ? `${encoded}\n` : '',
    marker: Buffer.from(`\x1e${id}\x1e`),
    killScript: killScript(id),
  }
}

/**
 * Text for `printf %b` made of characters that mean the same between single quotes in every shell:
 * fish takes `\\` and `\'` there for escapes, csh neither takes a newline nor leaves `!` alone.
 */
function encode(command: string): string {
  return command.replace(/[^A-Za-z0-9 _@%+=:,./<>|&;(){}$"*?#^~[\]-]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `\\0${byte.toString(8).padStart(3, '0')}`).join(''),
  )
}

/**
 * Signals are refused by sshd for root, and closing a channel leaves the process running. So the processes are looked up by the mark
 * on them, with all their descendants and all of their session, asked to end, and made to after two seconds.
 */
function killScript(id: string): string {
  // In brackets, so that the command lines of this script and of grep do not carry the mark themselves.
  const pattern = `[${id[0]}]${id.slice(1)}`
  return `found=$(grep -l -a -e '${pattern}' /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\\n')
[ -n "$found" ] || exit 0
roots=" $(printf '%s ' $found)"
all=$roots
table=
for stat in /proc/[0-9]*/stat; do
  { IFS= read -r line < "$stat"; } 2>/dev/null || continue
  set -f; set -- \${line##*) }; set +f
  table="$table \${line%% *}:$2:$4"
done
grown=1
while [ -n "$grown" ]; do
  grown=
  for row in $table; do
    pid=\${row%%:*} rest=\${row#*:}
    case $all in *" $pid "*) continue ;; esac
    case $all in *" \${rest%:*} "*) ;; *) case $roots in *" \${rest#*:} "*) ;; *) continue ;; esac ;; esac
    all="$all$pid " grown=1
  done
done
kill -TERM $all 2>/dev/null
tries=0
while [ $tries -lt 20 ]; do
  left=
  for pid in $all; do
    { IFS= read -r line < "/proc/$pid/stat"; } 2>/dev/null || continue
    # A dead process that its parent has not buried yet is dead enough.
    case \${line##*) } in [ZX]*) ;; *) left="$left $pid" ;; esac
  done
  [ -n "$left" ] || exit 0
  sleep 0.1
  tries=$((tries + 1))
done
kill -KILL $left 2>/dev/null
exit 0`
}

// Enough of what came before the marker to explain why it did not come.
const keptBefore = 512

/** Passes on what comes after the marker and drops what comes before it. */
export function afterMarker(marker: Buffer, pass: (chunk: Buffer) => void): { push(chunk: Buffer): void; before(): string | null } {
  let before: Buffer | null = Buffer.alloc(0)
  return {
    /** The end of what was dropped while the marker has not come; null once it has. */
    before: () => before?.toString() ?? null,
    push: (chunk) => {
      if (before === null) return pass(chunk)
      const seen = Buffer.concat([before, chunk])
      const at = seen.indexOf(marker)
      if (at < 0) {
        before = seen.subarray(Math.max(0, seen.length - Math.max(keptBefore, marker.length)))
        return
      }
      before = null
      const rest = seen.subarray(at + marker.length)
      if (rest.length > 0) pass(rest)
    },
  }
}
