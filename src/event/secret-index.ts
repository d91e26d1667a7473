import { type SecretForm, secretForms } from './secret-forms.ts'
import { hidden } from './secret-patterns.ts'

const anchorLength = 4
/** Four bits of each of the last four characters: older ones are shifted out, so that the hash always is that of a window. */
const bitsPerChar = 4
const mask = 2 ** (bitsPerChar * anchorLength) - 1

/**
 * Finds known secrets in a text. One expression of all forms slows down with every secret (5 000 of them: 400 lines a second), so each
 * form is filed under four letters it cannot be without; a text that has no such letters costs one look at each of its characters.
 */
export class SecretIndex {
  readonly #byAnchor = new Map<string, string[]>()
  readonly #gate = new Uint8Array(mask + 1)
  readonly #withoutAnchor: string[] = []
  readonly #expressions = new Map<string, RegExp>()

  add(value: string): void {
    for (const form of secretForms(value)) this.#file(form)
  }

  /** The text with every known secret hidden. */
  hide(text: string): string {
    const candidates = this.#candidates(text)
    return candidates.length === 0 ? text : text.replace(this.#expression(candidates), hidden)
  }

  #file({ source, anchor }: SecretForm): void {
    if (anchor === null) {
      this.#withoutAnchor.push(source)
      return
    }
    const filed = this.#byAnchor.get(anchor)
    if (filed === undefined) this.#byAnchor.set(anchor, [source])
    else if (!filed.includes(source)) filed.push(source)
    let hash = 0
    for (let i = 0; i < anchorLength; i++) hash = ((hash << bitsPerChar) ^ anchor.charCodeAt(i)) & mask
    this.#gate[hash] = 1
  }

  #candidates(text: string): readonly string[] {
    let found: Set<string> | null = null
    let hash = 0
    for (let i = 0; i < text.length; i++) {
      hash = ((hash << bitsPerChar) ^ text.charCodeAt(i)) & mask
      if (this.#gate[hash] === 0) continue
      const sources = this.#byAnchor.get(text.slice(i + 1 - anchorLength, i + 1))
      if (sources === undefined) continue
      found ??= new Set(this.#withoutAnchor)
      for (const source of sources) found.add(source)
    }
    return found === null ? this.#withoutAnchor : [...found]
  }

  #expression(sources: readonly string[]): RegExp {
    // Longest first: of two secrets that begin alike the whole of the longer one must go.
    const alternatives = [...sources].sort((a, b) => b.length - a.length).join('|')
    let expression = this.#expressions.get(alternatives)
    if (expression === undefined) {
      expression = new RegExp(alternatives, 'g')
      if (this.#expressions.size > 1000) this.#expressions.clear()
      this.#expressions.set(alternatives, expression)
    }
    return expression
  }
}
