import { hostPaths } from './runner.ts'

/** Hashes of large files that kubexm itself sent, each with what `stat` says of the file: as long as that holds, nobody has changed it. */
const record = `${hostPaths.root}/hashes`

/** Below this reading the file is quicker than looking it up. */
const large = 1024 * 1024

// Times to the nanosecond and in one time zone. A change of content, name, mode or owner moves the last one, and nobody can set it.
const mark = `kx_mark() { TZ=UTC0 stat -c '%d %i %s %y %z' -- "$1"; }`

/**
 * Shell function `kx_hash FILE` that prints the sha256 of a file as its first word. A second run would otherwise read gigabytes on every
 * host only to find them unchanged. OpenSSL uses the processor's own instructions, which is several times as quick as sha256sum.
 */
export const hashFunction = `${mark}
kx_hash() {
  if [ "$(stat -c %s -- "$1")" -lt ${large} ]; then sha256sum < "$1"; return; fi
  if [ -s ${record} ]; then
    kx_known=$(grep -F -- " $(kx_mark "$1") ;" ${record} | tail -n 1)
    if [ -n "$kx_known" ]; then printf '%s\\n' "$kx_known"; return; fi
  fi
  { command -v openssl >/dev/null && openssl dgst -sha256 -r < "$1" 2>/dev/null; } || sha256sum < "$1"
}
`

/**
 * Shell around a rename of `$t` to `$p` that remembers the hash of what was sent. What came through SSH is what was sent, and its size was
 * compared: it need not be read once more. Not remembered when somebody writes to the file in the same moment, nor before a cluster is here.
 */
export const rememberHash = (size: number, sha256: string, rename: string): string =>
  size < large
    ? rename
    : `${mark}
kx_sent=$(TZ=UTC0 stat -c '%i %s %y' -- "$t")
${rename}
if [ -d ${hostPaths.root} ]; then
  kx_now=$(kx_mark "$p")
  case $kx_now in *" $kx_sent "*) (umask 077; printf '%s %s ;\\n' ${sha256} "$kx_now" >> ${record}) || : ;; esac
fi`
