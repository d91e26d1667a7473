/**
 * A pure function of a text that does not do the same work twice: it keeps what it made of the last texts, up to so many.
 * Those who ask for the same share one answer, so nobody may change it.
 */
export function remembering<T>(make: (text: string) => T, most: number): (text: string) => T {
  const known = new Map<string, T>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined || known.has(text)) return before as T
    const made = make(text)
    if (known.size >= most) known.clear()
    known.set(text, made)
    return made
  }
}
