/** Which of two Debian versions is newer: below zero when the first is older. */
export function compareDebVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  return left.epoch - right.epoch || compareParts(left.upstream, right.upstream) || compareParts(left.revision, right.revision)
}

/** `[epoch:]upstream[-revision]`; a missing revision counts as 0. */
function partsOf(version: string): { readonly epoch: number; readonly upstream: string; readonly revision: string } {
  const [, epoch = '0', rest = ''] = /^(?:(\d+):)?(.*)$/s.exec(version) ?? []
  const dash = rest.lastIndexOf('-')
  return { epoch: Number(epoch), upstream: dash < 0 ? rest : rest.slice(0, dash), revision: dash < 0 ? '0' : rest.slice(dash + 1) }
}

/** Text and numbers in turn: text by Debian's order of characters, numbers by value. */
function compareParts(a: string, b: string): number {
  const [left, right] = [a.match(/\D+|\d+/g) ?? [], b.match(/\D+|\d+/g) ?? []].map(startingWithText)
  const length = Math.max(left?.length ?? 0, right?.length ?? 0)
  for (let i = 0; i < length; i++) {
    const [x = '', y = ''] = [left?.[i], right?.[i]]
    const order = i % 2 === 0 ? compareText(x, y) : Number(x) - Number(y)
    if (order !== 0) return order
  }
  return 0
}

const startingWithText = (words: readonly string[]): readonly string[] => (/^\d/.test(words[0] ?? '') ? ['', ...words] : words)

/** `~` before the end, the end before letters, letters before everything else. */
function compareText(a: string, b: string): number {
  const weight = (text: string, i: number): number => {
    const char = text[i]
    if (char === undefined) return 0
    return char === '~' ? -1 : /[A-Za-z]/.test(char) ? char.charCodeAt(0) : char.charCodeAt(0) + 256
  }
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = weight(a, i) - weight(b, i)
    if (order !== 0) return order
  }
  return 0
}
