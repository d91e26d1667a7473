import { createHash, createHmac } from 'node:crypto'

/** One line of a known_hosts file. */
export interface KnownHost {
  readonly line: number
  readonly marker: 'revoked' | 'cert-authority' | null
  readonly names: readonly string[]
  readonly type: string
  readonly key: Buffer
}

/** The lines of a known_hosts file; what cannot be understood is left out, as OpenSSH does. */
export function parseKnownHosts(text: string): readonly KnownHost[] {
  return text.split('\n').flatMap((raw, index) => {
    const words = raw.trim().split(/\s+/)
    const marker = words[0]?.startsWith('@') ? words.shift()?.slice(1) : null
    const [names, type, key] = words
    if (raw.trimStart().startsWith('#') || names === undefined || type === undefined || key === undefined) return []
    if (marker !== null && marker !== 'revoked' && marker !== 'cert-authority') return []
    return [{ line: index + 1, marker, names: names.split(','), type, key: Buffer.from(key, 'base64') }]
  })
}

/** The name under which a server is filed: `host`, or `[host]:port` where the port is not 22. */
export const knownHostName = (address: string, port: number): string => (port === 22 ? address : `[${address}]:${port}`)

/** Whether a line is about this name; hashed names, wildcards and negations as in sshd(8). */
export function matchesName(entry: KnownHost, name: string): boolean {
  const patterns = entry.names.map((pattern) => ({ negated: pattern.startsWith('!'), pattern: pattern.replace(/^!/, '') }))
  const hits = patterns.filter(({ pattern }) => matchesPattern(pattern, name))
  return hits.length > 0 && hits.every(({ negated }) => !negated)
}

function matchesPattern(pattern: string, name: string): boolean {
  if (pattern.startsWith('|1|')) {
    const [, , salt, hash] = pattern.split('|')
    if (salt === undefined || hash === undefined) return false
    return createHmac('sha1', Buffer.from(salt, 'base64')).update(name).digest('base64') === hash
  }
  const source = [...pattern.toLowerCase()].map((char) =>
    char === '*' ? '.*' : char === '?' ? '.' : char.replace(/[\\^$.|+()[\]{}]/, '\\$&'),
  )
  return new RegExp(`^${source.join('')}$`).test(name.toLowerCase())
}

/** The type a key blob says it is of. */
export function keyType(blob: Buffer): string {
  const length = blob.readUInt32BE(0)
  return blob.subarray(4, 4 + length).toString()
}

/** A key as `ssh-keygen -l` shows it: `SHA256:…`. */
export const fingerprint = (blob: Buffer): string => `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`
