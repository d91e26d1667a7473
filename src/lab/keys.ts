import { existsSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from './command.ts'
import type { LabPaths } from './paths.ts'
import { requireLab } from './record.ts'
import { labUsers } from './root-recipe.ts'
import type { HostRecord, LabRecord } from './types.ts'

/** The passphrase of the lab's encrypted key. */
export const labPassphrase = 'kubexm-lab'

/** The ways into a lab, as files in its state directory. */
export interface LabKeys {
  /** Accepted for every user. */
  readonly plain: string
  /** Accepted for every user; needs {@link labPassphrase}. */
  readonly encrypted: string
  /** Accepted only with its certificate, which lies beside it as `<file>-cert.pub`. */
  readonly certified: string
}

/** Where the keys of a lab are. */
export const labKeys = (paths: LabPaths): LabKeys => ({
  plain: join(paths.keys, 'id_ed25519'),
  encrypted: join(paths.keys, 'id_encrypted'),
  certified: join(paths.keys, 'id_certified'),
})

/** All files that a client needs to get into a lab. */
export interface LabAccess extends LabKeys {
  readonly knownHosts: string
  readonly sshConfig: string
}

/** Where the files are that let a client into a lab. */
export async function labAccess(name: string): Promise<LabAccess> {
  const { paths } = await requireLab(name)
  return { ...labKeys(paths), knownHosts: paths.knownHosts, sshConfig: paths.sshConfig }
}

const hostKeyTypes = ['ed25519', 'ecdsa'] as const
const userCa = (paths: LabPaths): string => join(paths.keys, 'user_ca')
const hostKey = (paths: LabPaths, host: string, type: string): string => join(paths.keys, 'hosts', host, `ssh_host_${type}_key`)

/** Makes the keys of a lab that are not there yet: its users', its certificate authority's, and those of the given hosts. */
export async function makeKeys(paths: LabPaths, lab: string, hosts: readonly HostRecord[]): Promise<void> {
  await mkdir(paths.keys, { recursive: true, mode: 0o700 })
  const keys = labKeys(paths)
  await keygen(keys.plain, 'ed25519', `kubexm-lab ${lab}`)
  await keygen(keys.encrypted, 'ed25519', `kubexm-lab ${lab} encrypted`, labPassphrase)
  await keygen(userCa(paths), 'ed25519', `kubexm-lab ${lab} user authority`)
  if (await keygen(keys.certified, 'ed25519', `kubexm-lab ${lab} certified`)) {
    const principals = ['root', ...labUsers.map(({ name }) => name)].join(',')
    await run(['ssh-keygen', '-q', '-s', userCa(paths), '-I', `kubexm-lab ${lab}`, '-n', principals, `${keys.certified}.pub`])
  }
  for (const { name } of hosts) {
    await mkdir(join(paths.keys, 'hosts', name), { recursive: true })
    for (const type of hostKeyTypes) await keygen(hostKey(paths, name, type), type, name)
  }
}

/** The files of a host that come from keys: its own identity, and whom it lets in. */
export async function keyFilesOf(
  paths: LabPaths,
  host: string,
): Promise<{ hostKeys: { name: string; content: string; secret: boolean }[]; authorized: string; userCa: string }> {
  const hostKeys = await Promise.all(
    hostKeyTypes.flatMap((type) =>
      ['', '.pub'].map(async (suffix) => {
        const content = await readFile(hostKey(paths, host, type) + suffix, 'utf8')
        return { name: `ssh_host_${type}_key${suffix}`, content, secret: suffix === '' }
      }),
    ),
  )
  const { plain, encrypted } = labKeys(paths)
  const authorized = await Promise.all([plain, encrypted].map((key) => readFile(`${key}.pub`, 'utf8')))
  return { hostKeys, authorized: authorized.join(''), userCa: await readFile(`${userCa(paths)}.pub`, 'utf8') }
}

/** Writes the lab's known_hosts and an ssh_config that names its hosts: who runs in the lab's network needs nothing else. */
export async function writeAccessFiles(paths: LabPaths, lab: LabRecord): Promise<void> {
  const known: string[] = []
  const config: string[] = []
  const jump = jumpHostOf(lab)
  for (const { name, legs } of lab.hosts) {
    const addresses = legs.flatMap(({ ipv4, ipv6 }) => [ipv4, ipv6])
    for (const type of hostKeyTypes) {
      const [algorithm, key] = (await readFile(`${hostKey(paths, name, type)}.pub`, 'utf8')).split(' ')
      known.push(`${[name, ...addresses].join(',')} ${algorithm} ${key}`)
    }
    const [first] = legs
    if (first === undefined) continue
    config.push(`Host ${name}`, `  HostName ${first.ipv4}`)
    if (first.network === 'private' && jump !== null) config.push(`  ProxyJump ${jump.name}`)
  }
  config.push('Host *', '  User root', `  IdentityFile "${labKeys(paths).plain}"`, '  IdentitiesOnly yes')
  config.push(`  UserKnownHostsFile "${paths.knownHosts}"`, '  StrictHostKeyChecking yes', '  ConnectTimeout 5', '')
  await writeFile(paths.knownHosts, `${known.join('\n')}\n`)
  await writeFile(paths.sshConfig, config.join('\n'))
}

/** The host that is the door to the lab's private network, if it has one. */
export const jumpHostOf = (lab: LabRecord): HostRecord | null => lab.hosts.find(({ legs }) => legs.length > 1) ?? null

/** Makes a key pair unless it is there; says whether it did. */
async function keygen(file: string, type: string, comment: string, passphrase = ''): Promise<boolean> {
  if (existsSync(`${file}.pub`)) return false
  // Few rounds: the passphrase is public, and every login of a test would pay for them.
  await run(['ssh-keygen', '-q', '-t', type, '-a', '4', '-N', passphrase, '-C', comment, '-f', file])
  await chmod(file, 0o600)
  return true
}
