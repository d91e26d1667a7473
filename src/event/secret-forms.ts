/** One way a secret may be written. */
export interface SecretForm {
  /** Source of the regular expression that finds it. */
  readonly source: string
  /** Four letters or digits that are in the text whenever the form is, whatever has been escaped around them. */
  readonly anchor: string | null
}

/**
 * Every way to write one secret down: raw, JSON-escaped (at any depth), URL-encoded, shell-quoted or HTML-escaped (one form for all
 * of these), or base64, on its own or inside a longer text.
 */
export function secretForms(value: string): readonly SecretForm[] {
  // A command's output arrives line by line, so every line of a key must be known by itself. Short lines of a long text say nothing.
  const lines = value.includes('\n') ? value.split(/\r?\n/).map((line) => line.trim()) : []
  const telling = lines.filter((line) => line.length >= 8 && !line.startsWith('-----'))
  const texts = [value, ...telling].map((text) => ({ source: spelled(text), anchor: anchorOf(text) }))
  return [...texts, ...base64Forms(value)]
}

/** From the longest run of letters and digits, which no encoder touches. */
function anchorOf(text: string): string | null {
  const runs = text.match(/[A-Za-z0-9]{4,}/g) ?? []
  return runs.reduce<string | null>((longest, run) => (run.length > (longest?.length ?? 0) ? run : longest), null)?.slice(0, 4) ?? null
}

/** One character after another, each in every spelling: encoders differ in what they escape, and are often stacked. */
const spelled = (value: string): string => [...value].map(spellings).join('')

function spellings(char: string): string {
  if (/[A-Za-z0-9]/.test(char)) return char
  const utf16 = Array.from({ length: char.length }, (_, i) => `\\\\{1,8}u${anyCase(hex(char.charCodeAt(i), 4))}`).join('')
  const percent = [...Buffer.from(char, 'utf8')].map((byte) => `%(?:25)?${anyCase(hex(byte, 2))}`).join('')
  return `(?:${[...(special[char] ?? [`\\\\{0,8}${literal(char)}`]), utf16, percent].join('|')})`
}

const special: Readonly<Record<string, readonly string[]>> = {
  '\\': ['\\\\{1,16}'],
  '\n': ['\\r?\\n', '\\\\{1,8}n'],
  '\r': ['\\r', '\\\\{1,8}r'],
  '\t': ['\\t', '\\\\{1,8}t'],
  '\b': ['\\x08', '\\\\{1,8}b'],
  '\f': ['\\f', '\\\\{1,8}f'],
  ' ': ['\\\\{0,8} ', '\\+'],
  // Inside single quotes the shell wants '\'' or '"'"' for one quote.
  "'": [`'\\\\{1,8}''`, `'\\\\{0,8}"'\\\\{0,8}"'`, `\\\\{0,8}'`, '&#0?39;', '&apos;'],
  '"': [`\\\\{0,8}"`, '&quot;', '&#34;'],
  '&': ['\\\\{0,8}&', '&amp;'],
  '<': ['\\\\{0,8}<', '&lt;'],
  '>': ['\\\\{0,8}>', '&gt;'],
}

/** Whole, and as it looks at each of the three alignments inside a longer encoded text (`user:password` of basic authentication). */
function base64Forms(value: string): readonly SecretForm[] {
  const bytes = Buffer.from(value, 'utf8')
  const whole = bytes.toString('base64')
  const forms = new Set<string>([whole, whole.replace(/=+$/, '')])
  // PEM breaks lines at 64 characters, the base64 command at 76.
  for (const width of [64, 76])
    if (whole.length > width) for (let i = 0; whole.length - i >= 8; i += width) forms.add(whole.slice(i, i + width))
  // Fewer bytes give so few certain characters that ordinary words would match.
  if (bytes.length >= 6) {
    for (const before of [0, 1, 2]) {
      const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
      // Only sextets made of nothing but the secret's bits are the same whatever stands around it.
      forms.add(encoded.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6)))
    }
  }
  return [...forms].map((form) => ({ source: [...form].map((char) => base64Spelling[char] ?? char).join(''), anchor: anchorOf(form) }))
}

const base64Spelling: Readonly<Record<string, string>> = { '+': '(?:\\+|-|%2[bB])', '/': '(?:\\\\{0,8}/|_|%2[fF])', '=': '(?:=|%3[dD])' }

const hex = (n: number, digits: number): string => n.toString(16).padStart(digits, '0')
const anyCase = (text: string): string => text.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
const literal = (char: string): string => char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
