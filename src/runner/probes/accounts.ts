import { quote as q } from '../command.ts'
import { linesOf, type ProbeKind, textOf } from './kind.ts'

const versionlock = '/etc/dnf/plugins/versionlock.list /etc/yum/pluginconf.d/versionlock.list'

// Named `package_` because the plain word is reserved.
export const package_: ProbeKind<'package'> = {
  script: ({ name }) => `if command -v dpkg-query >/dev/null; then dpkg-query -W -f '\${db:Status-Abbrev}\\n\${Version}\\n' ${q(name)}
elif command -v rpm >/dev/null; then
  rpm -q --qf '%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n' ${q(name)} >/dev/null || exit 0
  if grep -Fq -- ${q(`${name}-`)} ${versionlock} 2>/dev/null; then echo hi; else echo ii; fi
  rpm -q --qf '%|EPOCH?{%{EPOCH}:}:{}|%{VERSION}-%{RELEASE}\\n' ${q(name)} | head -n 1
fi`,
  parse: (answer) => {
    const [status = '', version = ''] = linesOf(answer)
    // The second letter is what is, the first what is wanted: `hi` is installed and held, `rc` is removed with config files left.
    return status[1] === 'i' ? { version, held: status.startsWith('h') } : { version: null, held: false }
  },
}

export const packages: ProbeKind<'packages'> = {
  script: ({ names }) => `set -- ${names.map(q).join(' ')}
for n; do
  if command -v dpkg-query >/dev/null; then
    case $(dpkg-query -W -f '\${db:Status-Abbrev}' "$n" 2>/dev/null) in ?i*) continue ;; esac
  elif command -v rpm >/dev/null; then
    ! rpm -q --whatprovides "$n" >/dev/null 2>&1 || continue
  fi
  echo "$n"
done`,
  parse: (answer) => ({ missing: linesOf(answer) }),
}

export const user: ProbeKind<'user'> = {
  script: ({ name }) => `getent passwd ${q(name)}`,
  parse: (answer) => {
    const [, , uid, gid, , home, shell] = textOf(answer).trim().split(':')
    return uid === undefined || gid === undefined ? null : { uid: Number(uid), gid: Number(gid), home: home ?? '', shell: shell ?? '' }
  },
}

export const group: ProbeKind<'group'> = {
  script: ({ name }) => `getent group ${q(name)}`,
  parse: (answer) => {
    const gid = textOf(answer).trim().split(':')[2]
    return gid === undefined ? null : { gid: Number(gid) }
  },
}
