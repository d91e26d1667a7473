/** What stands in the place of a secret. */
export const hidden = '***'

/** The value after a name: quoted, or up to the next blank or delimiter. References (`{env: X}`) and placeholders (`<password>`) are no secrets. */
const value = String.raw`(?!\{\s*(?:env|file)\b|<[\w -]+>|\*\*\*)(?:(?<quote>\\*["'])[\s\S]*?\k<quote>|[^\s"',;}\]]+)`
const named = (names: string, separator: string): RegExp => new RegExp(String.raw`((?:${names})\\*["']?${separator})${value}`, 'gi')

/** Each keeps its first group (the name) and hides the rest. */
const patterns: readonly RegExp[] = [
  named('passw(?:or)?d|passphrase|secret[_-]?(?:access[_-]?)?key|client[_-]?secret|api[_-]?key|client-key-data', String.raw`\s*[:=]\s*`),
  named('--(?:password|passphrase|token|secret|discovery-token)', String.raw`[\s=]+`),
  named('token|secret', '='),
  // After a colon short words are more often prose ("invalid token: expired") than secrets.
  /((?:token|secret)\\*["']?\s*:\s*\\*["']?)(?!\*\*\*)[\w.~+/=-]{16,}/gi,
  /(certificate[_-]?key\\*["']?[\s:=]+\\*["']?)[0-9a-f]{64}\b/gi,
  /(\bbearer\s+)(?!\*\*\*)[\w.~+/=-]{8,}/gi,
  /(\bauthorization\\*["']?\s*[:=]\s*\\*["']?basic\s+)(?!\*\*\*)[\w+/=-]+/gi,
  // The password of https://user:password@host.
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@]*:)(?!\*\*\*@)[^\s/@]+(?=@)/gi,
  // Tokens of kubeadm, and JSON web tokens.
  /()(?<![\w.-])[a-z0-9]{6}\.[a-z0-9]{16}(?![\w.-])/g,
  /()\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g,
  // "-----BEGIN " in base64, unless " CERT" follows: the key data of a kubeconfig.
  /()\bLS0tLS1CRUdJTi(?!BDRVJU)[\w+/=-]*/g,
]

// Nine in ten texts hold none of these; looking for them first is cheaper than trying every pattern.
const suspicious = /passw|passphrase|secret|token|bearer|basic|key|LS0tLS1|:\/\/|eyJ|\.[a-z0-9]{16}/i

/** Hides what looks like a secret although nobody has named it as one. */
export function hideSuspicious(text: string): string {
  if (!suspicious.test(text)) return text
  let result = text.includes('PRIVATE KEY') ? hidePrivateKeys(text) : text
  for (const pattern of patterns) result = result.replace(pattern, `$1${hidden}`)
  return result
}

const keyBegin = /-----BEGIN [A-Z ]*PRIVATE KEY-----/
const keyEnd = /-----END [A-Z ]*PRIVATE KEY-----/
const wholeKey = new RegExp(String.raw`${keyBegin.source}[\s\S]*?(?:${keyEnd.source}|$)`, 'g')

/** Whether a private key begins in this line and goes on after it, or ends in it. */
export function privateKeyEdge(line: string): 'begins' | 'ends' | null {
  if (!line.includes('PRIVATE KEY')) return null
  const begin = line.search(keyBegin)
  if (begin !== -1 && !keyEnd.test(line.slice(begin))) return 'begins'
  return begin === -1 && keyEnd.test(line) ? 'ends' : null
}

/** A key may be cut at either end: what was seen of a command is its last lines. */
function hidePrivateKeys(text: string): string {
  const rest = text.replace(wholeKey, hidden)
  const end = keyEnd.exec(rest)
  if (end === null) return rest
  const parts = rest.slice(0, end.index).split(/(\r?\n|\\r\\n|\\n)/)
  while (parts.length > 0 && /^\s*[\w+/=\\]*\s*$/.test(parts.at(-1) ?? '')) parts.pop()
  return parts.join('') + (parts.length > 0 ? '\n' : '') + hidden + hidePrivateKeys(rest.slice(end.index + end[0].length))
}
