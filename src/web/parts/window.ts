/** The part of a long list that is drawn. */
export interface Shown {
  readonly first: number
  readonly end: number
}

/** Which rows of equal height can be seen, with a few more on both sides so that scrolling shows no gap. */
export function shownRows(count: number, rowHeight: number, scrollTop: number, height: number, spare = 12): Shown {
  const first = Math.max(0, Math.floor(scrollTop / rowHeight) - spare)
  const end = Math.min(count, Math.ceil((scrollTop + height) / rowHeight) + spare)
  return { first: Math.min(first, Math.max(0, end)), end: Math.max(0, end) }
}
