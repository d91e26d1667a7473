import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parse } from 'yaml'

/** Words of which it is told what nobody may be told, by where they were found. */
export type Told = Readonly<Record<string, string>>

/** Every form in which a secret could be told. A key is told as soon as one of its lines is. */
export function formsOf(secret: string): readonly string[] {
  const lines = secret.split('\n').filter((line) => line.length >= 32 && !line.startsWith('-----'))
  // A kubeconfig carries keys as base64 of the whole file: a piece of that from the middle of the key.
  const coded = Buffer.from(secret).toString('base64')
  const piece = coded.length > 120 ? [coded.slice(60, 120)] : []
  return [secret.trim(), ...lines, coded, ...piece, encodeURIComponent(secret.trim())]
}

/** What no text may hold, whoever made the secret: keys of any kind, and tokens that let a host join. */
const telltale: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  /client-key-data: *[A-Za-z0-9+/=]{40}/,
  /\b(?=[a-z0-9.]*\d)[a-z0-9]{6}\.[a-z0-9]{16}\b/,
]

/** The places at which a secret is told, and which: empty where everybody has kept quiet. A secret is named by where it is kept. */
export function tellings(secrets: Told, told: Told): readonly string[] {
  return Object.entries(told).flatMap(([place, text]) => [
    ...Object.entries(secrets).flatMap(([name, secret]) =>
      formsOf(secret).some((form) => text.includes(form)) ? [`${place} tells ${name}`] : [],
    ),
    ...telltale.flatMap((pattern) => (pattern.test(text) ? [`${place} holds something like ${pattern.source}`] : [])),
  ])
}

/** Every secret that was made for a cluster (keys and passwords), and those of its config. */
export async function secretsOf(directory: string, cluster: string, config: string): Promise<Told> {
  const kept = await textsIn(join(directory, '.kubexm', cluster, 'certs'))
  const secrets = Object.entries(kept).filter(([name, text]) => /PRIVATE KEY/.test(text) || /\.(password|key)$/.test(name))
  return { ...Object.fromEntries(secrets), ...(await secretsIn(config)) }
}

const secretFields = /^(sudoPassword|password|passphrase|privateKey|authPass|auth)$/

/** The secrets a config holds, or names the files of. */
async function secretsIn(config: string): Promise<Told> {
  const found: Record<string, string> = {}
  const look = async (value: unknown, path: string): Promise<void> => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      const at = `${path}.${key}`
      if (/(privateKeyPath|keyFile)$/.test(key) && typeof inner === 'string') found[at] = await readFile(inner, 'utf8')
      else if (secretFields.test(key) && typeof inner === 'string') found[at] = inner
      else await look(inner, at)
    }
  }
  await look(parse(await readFile(config, 'utf8')), 'config')
  return found
}

/** Directories of a cluster that hold no records: certificates are the secrets themselves, all others are artifacts. */
const isRecord = (name: string): boolean => !/(^|\/)(kubeconfig|[^/]+\.key)$/.test(name) && /^([^/]+\/)?([^/]+|hosts\/.+)$/.test(name)

/** All that kubexm keeps of its runs, without what it keeps the secrets in: certificates, the kubeconfig, and the keys of its journal and jobs. */
export const recordsIn = (directory: string): Promise<Told> => textsIn(join(directory, '.kubexm'), isRecord)

/** Files as text by their path below a directory. */
async function textsIn(root: string, wanted: (name: string) => boolean = () => true): Promise<Told> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)))
  const texts = files.filter(wanted).map(async (file) => [file, await readFile(join(root, file), 'latin1')] as const)
  return Object.fromEntries(await Promise.all(texts))
}
