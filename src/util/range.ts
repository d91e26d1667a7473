/** More names than any fleet has: beyond it a range is a slip of the pen. */
const mostNames = 20_000

/** What a name with ranges stands for, or why it stands for nothing. */
export type Expansion = { readonly names: readonly string[] } | { readonly wrong: string }

/** `node[5:7]` is node5, node6, node7; `node[01:12]` keeps its zeros; several brackets multiply; a name without brackets is itself. */
export function expandRange(text: string): Expansion {
  let names = ['']
  let at = 0
  for (const match of text.matchAll(/\[(\d{1,9}):(\d{1,9})\]/g)) {
    const [whole, from = '', to = ''] = match
    if (Number(from) > Number(to)) return { wrong: `${whole} counts down` }
    if (names.length * (Number(to) - Number(from) + 1) > mostNames) return { wrong: `${whole} stands for more than ${mostNames} names` }
    const numbers = Array.from({ length: Number(to) - Number(from) + 1 }, (_, i) => padded(Number(from) + i, from))
    const literal = text.slice(at, match.index)
    names = names.flatMap((name) => numbers.map((number) => name + literal + number))
    at = match.index + whole.length
  }
  const rest = text.slice(at)
  if (/[[\]]/.test(text.replaceAll(/\[\d{1,9}:\d{1,9}\]/g, ''))) return { wrong: 'its brackets do not hold [first:last]' }
  return { names: names.map((name) => name + rest) }
}

const padded = (number: number, like: string): string => (like.startsWith('0') ? String(number).padStart(like.length, '0') : String(number))
