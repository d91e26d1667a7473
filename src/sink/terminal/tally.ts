import type { Style } from '../style.ts'
import { width } from '../text.ts'
import { emptyTally, type Tally } from './state.ts'

/** The sum of several tallies. */
export function addTallies(tallies: readonly Tally[]): Tally {
  const sum = emptyTally()
  for (const tally of tallies) for (const key of Object.keys(sum) as (keyof Tally)[]) sum[key] += tally[key]
  return sum
}

const labels: readonly (readonly [keyof Tally, string])[] = [
  ['failed', 'failed'],
  ['rollback-failed', 'not undone'],
  ['succeeded', 'changed'],
  ['satisfied', 'already right'],
  ['resumed', 'resumed'],
  ['cancelled', 'cancelled'],
  ['rolled-back', 'undone'],
]

/** `12 changed · 84 already right`: the ends that did happen, as far as there is room for them. */
export function tallyText(tally: Tally, style: Style, columns = Number.POSITIVE_INFINITY): string {
  const parts = labels.filter(([state]) => tally[state] > 0).map(([state, label]) => `${tally[state]} ${label}`)
  let text = parts[0] ?? ''
  for (const part of parts.slice(1)) {
    const longer = `${text} ${style.icons.dot} ${part}`
    if (width(longer) > columns) break
    text = longer
  }
  return text
}
