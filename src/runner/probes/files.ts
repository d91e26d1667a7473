import { blockIn } from '../block.ts'
import { quote as q } from '../command.ts'
import type { FileState } from '../probe.ts'
import { linesOf, type ProbeKind, textOf } from './kind.ts'

/** Mode and owner as `stat` gives them: an id without a name stays a number. */
function attributes(words: readonly string[]): { readonly mode: string; readonly owner: string } {
  const [mode = '0', uid = '0', gid = '0', user = 'UNKNOWN', group = 'UNKNOWN'] = words
  return { mode: mode.padStart(4, '0'), owner: `${user === 'UNKNOWN' ? uid : user}:${group === 'UNKNOWN' ? gid : group}` }
}

/** Tells all there is to know about the path `$p`. */
const describePath = `a() { stat -c '%a %u %g %U %G %s' -- "$p"; }
if [ -L "$p" ]; then echo link; a; readlink -n -- "$p"
elif [ -f "$p" ]; then echo file; a; kx_hash "$p"
elif [ -d "$p" ]; then echo directory; a; find "$p/" -mindepth 1 -maxdepth 1 -print -quit | head -c 1
elif [ -e "$p" ]; then echo other
else
  d=\${p%/*}
  while [ -n "$d" ] && { [ ! -d "$d" ] || [ -L "$d" ]; }; do d=\${d%/*}; done
  printf 'absent\\n%s' "\${d:-/}"
fi`

function parsePath(text: string): FileState {
  const [type = '', line = '', ...rest] = text.split('\n')
  const words = line.split(' ')
  const { mode, owner } = attributes(words)
  switch (type) {
    case 'file':
      return { type, sha256: rest[0]?.split(' ')[0] ?? '', mode, owner, size: Number(words[5]) }
    case 'directory':
      return { type, mode, owner, empty: rest.join('') === '' }
    case 'link':
      return { type, target: rest.join('\n'), owner }
    case 'other':
      return { type }
    default:
      return { type: 'absent', existing: [line, ...rest].join('\n') }
  }
}

export const file: ProbeKind<'file'> = {
  script: ({ path }) => `p=${q(path)}\n${describePath}`,
  parse: (answer): FileState => parsePath(textOf(answer)),
}

/** Between the files of one answer: no name of a file is likely to hold it. */
const divider = '\u001e'

export const unpacked: ProbeKind<'unpacked'> = {
  // Only where something is missing are the files looked at one by one: to hash programs takes its time.
  script: ({ mark, sha256, paths }) => `m=$(cat -- ${q(mark)} 2>/dev/null)
if [ "$m" = ${q(sha256)} ] && ${paths.map((path) => `[ -e ${q(path)} ]`).join(' && ')}; then printf whole; exit 0; fi
printf 'mark %s' "$m"
for p in ${paths.map(q).join(' ')}; do
printf '\\036'
${describePath}
done`,
  parse: (answer) => {
    const [head = '', ...files] = textOf(answer).split(divider)
    if (head === 'whole') return { whole: true, replaced: null, files: [] }
    return { whole: false, replaced: head.slice('mark '.length) || null, files: files.map(parsePath) }
  },
}

export const block: ProbeKind<'block'> = {
  script: ({ path }) => `[ -f ${q(path)} ] && echo file && cat -- ${q(path)}`,
  parse: (answer, { begin, end }) => {
    const text = textOf(answer)
    if (!text.startsWith('file\n')) return { file: false, text: null }
    return { file: true, text: blockIn(text.slice(5), { begin, end }) }
  },
}

export const mount: ProbeKind<'mount'> = {
  // Read by the shell itself: `findmnt` costs a process and prints stacked mounts in its own order. The last one is on top.
  script: ({ path }) => `f=
while read -r _ _ _ _ point options rest; do [ "$point" != ${q(escapedMount(path))} ] || f="\${rest#*- } $options"; done < /proc/self/mountinfo
printf '%s' "$f"`,
  parse: (answer) => {
    const [type, source, superOptions, options] = textOf(answer).split(' ')
    if (type === undefined || source === undefined || options === undefined) return null
    // Options of the mount and of what is mounted, as findmnt shows them: each one once.
    return {
      type,
      source: unescapedMount(source),
      options: [...new Set([...options.split(','), ...(superOptions ?? '').split(',')])].join(','),
    }
  },
}

/** In mountinfo blanks, tabs, line breaks and backslashes are written in octal. */
const escapedMount = (path: string): string => path.replace(/[ \t\n\\]/g, (char) => `\\0${char.charCodeAt(0).toString(8).padStart(2, '0')}`)
const unescapedMount = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)))

export const swap: ProbeKind<'swap'> = {
  script: () => 'tail -n +2 /proc/swaps',
  parse: (answer) => ({ active: linesOf(answer).map((line) => unescapedMount(line.split(/\s+/)[0] ?? '')) }),
}

export const command: ProbeKind<'command'> = {
  script: ({ command }) => command,
  parse: (answer) => ({ code: answer.code, stdout: textOf(answer) }),
}
