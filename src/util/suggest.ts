/** The candidate a misspelt word most likely meant, or null when none is near. */
export function closest(word: string, candidates: readonly string[]): string | null {
  const wanted = plain(word)
  let best: { readonly candidate: string; readonly distance: number } | null = null
  for (const candidate of candidates) {
    const written = plain(candidate)
    const tolerated = Math.min(3, Math.floor(Math.max(wanted.length, candidate.length) / 3))
    // Every letter too many is one step at least: most candidates need no closer look.
    if (Math.abs(written.length - wanted.length) > tolerated) continue
    const distance = written === wanted ? 0 : editDistance(wanted, written)
    if (distance <= tolerated && (best === null || distance < best.distance)) best = { candidate, distance }
  }
  return best?.candidate ?? null
}

/** Case, dashes and underscores are the commonest slips: they cost nothing. */
const plain = (word: string): string =>
  word
    .slice(0, 60)
    .toLowerCase()
    .replaceAll(/[-_ .]/g, '')

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`. */
function editDistance(a: string, b: string): number {
  let [older, previous] = [[] as number[], Array.from({ length: b.length + 1 }, (_, j) => j)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let cost = Math.min(at(previous, j) + 1, at(row, j - 1) + 1, at(previous, j - 1) + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, at(older, j - 2) + 1)
      row.push(cost)
    }
    older = previous
    previous = row
  }
  return at(previous, b.length)
}

const at = (row: readonly number[], index: number): number => row[index] ?? Number.POSITIVE_INFINITY
