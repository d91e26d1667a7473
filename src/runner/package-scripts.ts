import { quote as q } from './command.ts'

/** Shell that sets `$m` to the package manager of the host, or says that there is none. */
export const findManager = `if command -v apt-get >/dev/null; then m=apt
elif command -v dnf >/dev/null; then m=dnf
elif command -v yum >/dev/null; then m=yum
else printf '\\036kx:unmanaged\\036\\n' >&2; exit 69; fi
`

/** Shell that keeps in `$@` only the names that are not installed, and ends well when none are left. */
const onlyMissing = `for n; do
  shift
  case $m in
    apt) case $(dpkg-query -W -f '\${db:Status-Abbrev}' "$n" 2>/dev/null) in ?i*) continue ;; esac ;;
    *) ! rpm -q --whatprovides "$n" >/dev/null 2>&1 || continue ;;
  esac
  set -- "$@" "$n"
done
[ $# -gt 0 ] || exit 0
`

// Asks nothing, keeps config files that were edited, restarts no services on its own, installs nothing that is only recommended.
const aptSettings = `DEBIAN_FRONTEND=noninteractive NEEDRESTART_MODE=l NEEDRESTART_SUSPEND=1 APT_LISTCHANGES_FRONTEND=none
export DEBIAN_FRONTEND NEEDRESTART_MODE NEEDRESTART_SUSPEND APT_LISTCHANGES_FRONTEND
apt() { apt-get -q -y -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confdef -o Dpkg::Options::=--force-confold "$@"; }
# An installation that was killed half-way is finished first: until then apt refuses everything. Where another one still runs, apt says so below.
[ -z "$(ls -A /var/lib/dpkg/updates 2>/dev/null)$(dpkg --audit 2>/dev/null)" ] || dpkg --force-confdef --force-confold --configure -a >&2 || :
`

const names = (list: readonly string[]): string => `set -- ${list.map(q).join(' ')}\n`

/** Shell that installs packages from the sources of the host. Lists of what can be had are fetched only when a name is not found in them. */
export const installScript = (list: readonly string[]): string => `${findManager}${names(list)}${onlyMissing}
case $m in
  apt)
    ${aptSettings}
    if ! apt -s install --no-install-recommends --no-upgrade -- "$@" >/dev/null 2>&1; then apt update || exit; fi
    apt -o Acquire::Retries=3 install --no-install-recommends --no-upgrade -- "$@" ;;
  *) "$m" -y -q install --setopt=install_weak_deps=False -- "$@" ;;
esac`

/**
 * Shell that installs packages from a directory and nowhere else. For apt the directory is made a source of its own (the index is made from
 * the files), so that exactly what the names need is taken from it; for dnf likewise when it has an index, else all of its files that are missing.
 */
export const installFromScript = (directory: string, list: readonly string[]): string => `${findManager}${names(list)}${onlyMissing}
from=${q(directory)}
w=$(mktemp -d) || exit
trap 'rm -rf -- "$w"' EXIT
trap 'exit 143' HUP INT PIPE TERM
case $m in
  apt)
    ${aptSettings}
    mkdir -p "$w/pool" "$w/lists/partial" "$w/cache/archives/partial" "$w/none" || exit
    for f in "$from"/*.deb; do
      [ -f "$f" ] || { echo "there is no .deb file in $from" >&2; exit 66; }
      b=\${f##*/}
      ln -s "$f" "$w/pool/$b"
      h=$(sha256sum < "$f")
      { dpkg-deb -f "$f"; echo "Filename: ./$b"; echo "Size: $(stat -L -c %s "$f")"; echo "SHA256: \${h%% *}"; echo; } >> "$w/pool/Packages" || exit
    done
    echo "deb [trusted=yes] file:$w/pool ./" > "$w/sources.list"
    own() { apt -o Dir::Etc::SourceList="$w/sources.list" -o Dir::Etc::SourceParts="$w/none" -o Dir::State::Lists="$w/lists" -o Dir::Cache="$w/cache" -o APT::Sandbox::User=root "$@"; }
    own update || exit
    own install --no-install-recommends --no-upgrade -- "$@" ;;
  *)
    if [ -d "$from/repodata" ]; then
      "$m" -y -q --disablerepo='*' --repofrompath="kubexm,file://$from" --enablerepo=kubexm --nogpgcheck install --setopt=install_weak_deps=False -- "$@"
    else
      set --
      for f in "$from"/*.rpm; do
        [ -f "$f" ] || { echo "there is no .rpm file in $from" >&2; exit 66; }
        rpm -q "$(rpm -qp --qf '%{NAME}' "$f" 2>/dev/null)" >/dev/null 2>&1 || set -- "$@" "$f"
      done
      [ $# -eq 0 ] || "$m" -y -q --disablerepo='*' --nogpgcheck install --setopt=install_weak_deps=False -- "$@"
    fi ;;
esac`

/** Shell that lists the packages that are installed. */
const installed = `dpkg-query -W -f '\${db:Status-Abbrev} \${Package}\\n' | sed -n 's/^.i. *//p' | LC_ALL=C sort`

/** Shell that puts what has come since the record was made among what was pulled in, but for these names, and ends the record. */
const settlePulledIn = (pulledIn: string, besides: readonly string[]): string => `${installed} |
    LC_ALL=C comm -13 ${q(`${pulledIn}.before`)} - | grep -Fvx ${besides.map((name) => `-e ${q(name)}`).join(' ')} >> ${q(pulledIn)}
  rm -f -- ${q(`${pulledIn}.before`)}`

/**
 * Shell that takes packages away, by default with their config files. What they had pulled in and nothing else needs goes as well, if it
 * came with them. A name that another package provides means that one: it was missing before, so that it came by this name.
 */
export const removeScript = (list: readonly string[], pulledIn: string, keepConfig = false): string => `${findManager}${names(list)}
for n; do
  shift
  case $m in
    apt) case $(dpkg-query -W -f '\${db:Status-Abbrev}' "$n" 2>/dev/null) in ''|?n*) continue ;; esac ;;
    *) n=$(rpm -q --whatprovides --qf '%{NAME}\\n' "$n" 2>/dev/null | head -n 1) && [ -n "$n" ] && rpm -q "$n" >/dev/null 2>&1 || continue ;;
  esac
  set -- "$@" "$n"
done
case $m in
  apt)
    ${aptSettings}
    # An installation that was cut off and never done again has left what it pulled in.
    if [ -s ${q(`${pulledIn}.before`)} ]; then
  ${settlePulledIn(pulledIn, list)}
    fi
    [ $# -eq 0 ] || apt ${keepConfig ? 'remove' : 'purge'} -- "$@" || exit
    [ -s ${q(pulledIn)} ] || exit 0
    unneeded=$(apt-get -s autoremove 2>/dev/null | sed -n 's/^Remv \\([^ ]*\\).*/\\1/p')
    set --
    for n in $unneeded; do ! grep -Fqx -- "$n" ${q(pulledIn)} || set -- "$@" "$n"; done
    [ $# -eq 0 ] || apt purge -- "$@" ;;
  *) [ $# -eq 0 ] || "$m" -y -q remove -- "$@" ;;
esac`

/**
 * Wraps an installation so that the packages it pulled in besides the named ones are remembered (apt only; dnf remembers by itself). What
 * there was before is on record until the installation is whole: one that is killed half-way and done again counts from its beginning.
 */
export const rememberPulledIn = (script: string, list: readonly string[], pulledIn: string): string => `command -v apt-get >/dev/null || {
${script}
exit; }
b=${q(`${pulledIn}.before`)}
(umask 077; mkdir -p ${q(pulledIn.slice(0, pulledIn.lastIndexOf('/')))})
[ -s "$b" ] || { ${installed} > "$b.new" && mv -f -- "$b.new" "$b"; } || exit
(
${script}
)
code=$?
if [ $code -eq 0 ]; then
  ${settlePulledIn(pulledIn, list)}
fi
exit $code`
