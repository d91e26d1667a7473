import { quote as q } from './command.ts'
import { hashFunction, rememberHash } from './known-hashes.ts'
import type { FileAttributes } from './runner.ts'

/** What the temporary files of an unfinished write are called. */
const temporary = '.kx-XXXXXXXX'

/** The directory a path is in. */
export const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/'

// A cut connection closes the streams: what is printed then must not end the script before it has cleaned up.
/**
 * Shell that puts stdin at a path: beside it first, then renamed, so that nobody ever sees half a file. An early end of the input
 * (a cut connection) shows in the size, and nothing is left behind.
 */
export const putScript = (path: string, size: number, attributes: string, lastly = rename): string => `set -e
p=${q(path)} d=${q(parentOf(path))}
mkdir -p -- "$d"
t=$(mktemp "$d/${temporary}")
trap 'rm -f -- "$t"' EXIT
trap 'exit 143' HUP INT PIPE TERM
cat > "$t"
s=$(stat -c %s -- "$t")
if [ "$s" != ${size} ]; then echo "only $s of ${size} bytes arrived" >&2; exit 74; fi
${attributes}
${lastly}`

// SELinux labels by path: the temporary name may have given the file another one.
const rename = `sync -- "$t" 2>/dev/null || sync
mv -fT -- "$t" "$p"
[ ! -e /sys/fs/selinux/enforce ] || ! command -v restorecon >/dev/null || restorecon -- "$p"`

/** Shell that gives a file its mode and owner; the owner first, because changing it takes setuid bits away. */
export const setAttributesOf = (file: string, { mode, owner }: FileAttributes): string =>
  `${owner === undefined ? 'kx_own' : `chown -h -- ${q(owner)}`} ${file}\nchmod -- ${q(mode)} ${file}`

/** As `putScript`, for a file that is there already and keeps its mode and owner, if it is still the one that was read. */
export const replaceScript = (path: string, size: number, sha256: string): string => `set -e
p=$(readlink -f -- ${q(path)})
d=\${p%/*}
t=$(mktemp "\${d:-/}/${temporary}")
trap 'rm -f -- "$t"' EXIT
trap 'exit 143' HUP INT PIPE TERM
cat > "$t"
s=$(stat -c %s -- "$t")
if [ "$s" != ${size} ]; then echo "only $s of ${size} bytes arrived" >&2; exit 74; fi
h=$(sha256sum < "$p")
if [ "\${h%% *}" != ${sha256} ]; then printf '\\036kx:moved\\036\\n' >&2; exit 73; fi
chown --reference="$p" -- "$t"
chmod --reference="$p" -- "$t"
sync -- "$t" 2>/dev/null || sync
# A file that is a mount point (as /etc/hosts in some containers) cannot be renamed over.
mv -fT -- "$t" "$p" 2>/dev/null || cat "$t" > "$p"
[ ! -e /sys/fs/selinux/enforce ] || ! command -v restorecon >/dev/null || restorecon -- "$p"`

/** Shell that says `same` where the file is there already (its attributes are set all the same) and `send` where it must be sent. */
export const uploadScript = (path: string, size: number, sha256: string, attributes: FileAttributes): string => `set -e
${hashFunction}p=${q(path)}
if [ -f "$p" ] && [ ! -L "$p" ] && [ "$(stat -c %s -- "$p")" = ${size} ]; then
  h=$(kx_hash "$p")
  if [ "\${h%% *}" = ${sha256} ]; then
    ${setAttributesOf('"$p"', attributes).replace('\n', '\n    ')}
    printf same
    exit 0
  fi
fi
printf send
${putScript(path, size, setAttributesOf('"$t"', attributes), rememberHash(size, sha256, rename))}`

/** Shell that makes a symbolic link, in place of whatever file or link was there. */
export const linkScript = (path: string, target: string): string => `set -e
p=${q(path)} d=${q(parentOf(path))}
mkdir -p -- "$d"
t=$(mktemp -u "$d/${temporary}")
trap 'rm -f -- "$t"' EXIT
ln -s -- ${q(target)} "$t"
mv -fT -- "$t" "$p"`

/** Shell that copies a file, a link or a tree, with everything about it. */
export const copyScript = (from: string, to: string): string => `set -e
p=${q(to)} d=${q(parentOf(to))}
[ -d "$d" ] || (umask 077; mkdir -p -- "$d")
t=$(mktemp -u "$d/${temporary}")
trap 'rm -rf -- "$t"' EXIT
cp -aT -- ${q(from)} "$t"
[ -L "$t" ] || sync -- "$t" 2>/dev/null || sync
mv -fT -- "$t" "$p"`

/** Shell that makes something absent; the directories that are empty then go as well, below but not including `upTo`. */
export function removeScript(path: string, recursive: boolean, upTo?: string): string {
  const remove = recursive
    ? `rm -rf --one-file-system -- ${q(path)}`
    : `p=${q(path)}
if [ -d "$p" ] && [ ! -L "$p" ]; then rmdir -- "$p"; else rm -f -- "$p"; fi`
  const emptied = upTo === undefined ? [] : parentsBelow(path, upTo)
  if (emptied.length === 0) return remove
  return `set -e\n${remove}\nfor d in ${emptied.map(q).join(' ')}; do [ ! -d "$d" ] || rmdir -- "$d" 2>/dev/null || break; done`
}

/** The directories above a path, deepest first, that lie below another one. */
function parentsBelow(path: string, upTo: string): readonly string[] {
  const within = upTo === '/' ? '/' : `${upTo}/`
  const parents: string[] = []
  for (let parent = parentOf(path); parent.startsWith(within) && parent !== upTo; parent = parentOf(parent)) parents.push(parent)
  return parents
}

/** Shell that adds stdin to the end of a file and sees that it is on disk. */
export const appendScript = (path: string, size: number): string => `set -e
p=${q(path)}
mkdir -p -- ${q(parentOf(path))}
t=$(mktemp)
trap 'rm -f -- "$t"' EXIT
trap 'exit 143' HUP INT PIPE TERM
cat > "$t"
s=$(stat -c %s -- "$t")
if [ "$s" != ${size} ]; then echo "only $s of ${size} bytes arrived" >&2; exit 74; fi
umask 077
cat -- "$t" >> "$p"
sync -- "$p" 2>/dev/null || sync`

/**
 * Shell that unpacks an archive. Owners inside an archive mean nothing on this host, and directories that are there keep their modes: an
 * archive whose top is 0700 must not close `/usr/local/bin`.
 */
export const extractScript = (archive: string, into: string, strip: number, members: readonly string[]): string => `set -e
a=${q(archive)}
case $(od -An -tx1 -N6 -- "$a" | tr -d ' \\n') in
  1f8b*) z=gzip ;;
  28b52ffd*) z=zstd ;;
  fd377a585a00*) z=xz ;;
  425a68*) z=bzip2 ;;
  *) z= ;;
esac
if [ -n "$z" ] && ! command -v "$z" >/dev/null; then printf '\\036kx:missing %s\\036\\n' "$z" >&2; exit 69; fi
mkdir -p -- ${q(into)}
tar -x -f "$a" \${z:+-I "$z"} -C ${q(into)} --no-same-owner --no-overwrite-dir --strip-components=${strip} ${members.length === 0 ? '' : `-- ${members.map(q).join(' ')}`}`
