import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allFields } from './fields.ts'

/** Of the config layer itself, what makes settings out of others: a field that goes into them is used. */
const usesInConfig = /^config\/(cluster|derive|topology)\.ts$/

/** What names fields only to say that nothing is done with them yet. */
const refusals = /^components\/os\/preflight\/checks\/support\.ts$/

/** All code that could read a config: everything but what describes and checks it, component schemas and tests. */
export function codeOutsideConfig(source: string): readonly string[] {
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      /\.tsx?$/.test(file) &&
      !/\.test\.tsx?$/.test(file) &&
      (!/^config\//.test(file) || usesInConfig.test(file)) &&
      !/^components\/[^/]+\/[^/]+\/config\.ts$/.test(file) &&
      !refusals.test(file) &&
      !/^error\/codes\//.test(file) &&
      !/^cli\/config-/.test(file),
  )
  return files.map((file) => readFileSync(join(source, file), 'utf8'))
}

/** The fields that none of these files reads. */
export function findUnused(code: readonly string[]): readonly string[] {
  const leaves = allFields().filter(({ isGroup, path }) => !isGroup && path !== 'apiVersion' && path !== 'kind')
  return unreadFields(
    leaves.map(({ path }) => path),
    code,
  )
}

/** The text of `unused-fields.ts`. */
export const renderUnusedFields = (unused: readonly string[]): string =>
  `/** Made by npm run docs: fields the schema accepts and no code reads yet. */\nexport const unusedFields = \`\n${unused.join('\n')}\n\`\n`

/** Whether a field is in a list of fields and groups. */
export function isListed(path: string, list: readonly string[]): boolean {
  const plain = withoutBrackets(path)
  return list.some((entry) => plain === entry || (entry.endsWith('.*') && plain.startsWith(entry.slice(0, -1))))
}

/** `spec.hosts[].name` and `spec.hosts.name` are the same field. */
export const withoutBrackets = (path: string): string => path.replaceAll(/\[\d*\]/g, '')

/** Names of at least this length, used by no other field, tell which field is meant without the group they stand in. */
const tellingLength = 9

/**
 * Whether a file of code reads a field. It does when it names the field with its group (`backup.dir`, `host.arch`, `{ dir } = backup`),
 * when it names a field whose name is telling and mentions one of its groups, or when a comment says "reads spec.etcd.backup.dir".
 */
export function isRead(path: string, file: string, isShared: (leaf: string) => boolean): boolean {
  const names = withoutBrackets(path).replaceAll('.<name>', '').split('.')
  const leaf = names.at(-1) ?? ''
  if (!file.includes(leaf)) return false
  if (new RegExp(`reads ${literally(withoutBrackets(path))}(?![\\w.])`).test(file)) return true
  const group = singularOrPlural(names.at(-2) ?? '')
  const named = literally(leaf)
  if (
    new RegExp(
      `\\b${group}(\\[\\w+\\])?\\??\\.${named}\\b|\\b${group}\\??\\.?\\['${named}'\\]|\\{[^{}]*\\b${named}\\b[^{}]*\\}\\s*=\\s*[\\w.?]*\\b${group}\\b|\\b${group}: \\{[^{}]*\\b${named}\\b`,
    ).test(file)
  )
    return true
  if (isShared(leaf) || leaf.length < tellingLength) return false
  const mentions = names.slice(1, -1).some((ancestor) => new RegExp(`\\b${singularOrPlural(ancestor)}\\b`).test(file))
  return mentions && new RegExp(`(\\.|[{,]\\s*)${named}\\b|\\['${named}'\\]`).test(file)
}

const literally = (text: string): string => text.replaceAll(/[.\-[\]<>]/g, '\\$&')
const singularOrPlural = (word: string): string => (word.endsWith('s') ? `${literally(word.slice(0, -1))}s?` : literally(word))

/** The fields among these that no file reads; a group none of whose fields is read is one entry, `group.*`. */
export function unreadFields(paths: readonly string[], files: readonly string[]): readonly string[] {
  const leaves = paths.map((path) => withoutBrackets(path).split('.').at(-1) ?? '')
  const counts = new Map<string, number>()
  for (const leaf of leaves) counts.set(leaf, (counts.get(leaf) ?? 0) + 1)
  const isShared = (leaf: string): boolean => (counts.get(leaf) ?? 0) > 1
  const isUsed = (path: string): boolean => files.some((file) => isRead(path, file, isShared))
  // What holds for every host is read as the setting of a host.
  const unread = new Set(
    paths
      .filter((path) => !isUsed(path) && !(path.startsWith('spec.global.') && isUsed(path.replace('spec.global.', 'spec.hosts[].'))))
      .map(withoutBrackets),
  )
  return collapse(paths.map(withoutBrackets), unread)
}

function collapse(paths: readonly string[], unread: ReadonlySet<string>): readonly string[] {
  const whole = (group: string): boolean => paths.every((path) => !path.startsWith(`${group}.`) || unread.has(path))
  const entries = [...unread].map((path) => {
    const names = path.split('.')
    for (let depth = 2; depth < names.length; depth++) {
      const group = names.slice(0, depth).join('.')
      if (whole(group)) return `${group}.*`
    }
    return path
  })
  return [...new Set(entries)]
}
