/** Arguments of a program by name. */
export type Arguments = Readonly<Record<string, string>>

/** A command for ExecStart, one argument a line, in the order of their names: a changed one is then one changed line. */
export function execStart(program: string, args: Arguments): string {
  const words = Object.entries(args)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => unitWord(`--${name}=${value}`))
  return [program, ...words].join(' \\\n  ')
}

/** One word of a command in a unit file: no specifier, no variable and no blank in it means anything. */
export function unitWord(word: string): string {
  const plain = word.replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /^[A-Za-z0-9_@%$+=:,./*-]+$/.test(plain) ? plain : `"${plain.replaceAll(/["\\]/g, '\\$&').replaceAll('\n', '\\n')}"`
}

/**
 * How soon a client of the API notices that the master behind its connection is gone without a word: 15 s, where the 45 s of its own
 * would be longer than a node may be silent.
 */
export const apiClientEnvironment: readonly string[] = [
  'Environment=HTTP2_READ_IDLE_TIMEOUT_SECONDS=10',
  'Environment=HTTP2_PING_TIMEOUT_SECONDS=5',
]

/**
 * What a service is denied that only talks to others and writes to places of its own: it sees no more of the machine than it needs, and
 * changes nothing of it. A service adds what it may do besides.
 */
export const confinement: readonly string[] = [
  'LockPersonality=yes',
  'MemoryDenyWriteExecute=yes',
  'NoNewPrivileges=yes',
  'PrivateDevices=yes',
  'PrivateTmp=yes',
  'ProtectControlGroups=yes',
  'ProtectKernelModules=yes',
  'ProtectKernelTunables=yes',
  'ProtectSystem=strict',
  'RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK',
  'RestrictNamespaces=yes',
  'RestrictRealtime=yes',
  'RestrictSUIDSGID=yes',
  'SystemCallArchitectures=native',
]
