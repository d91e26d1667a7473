import type { Say } from '../i18n/text.ts'
import type { Palette } from '../parts/palette.ts'
import type { Run } from '../run/run.ts'
import type { Target } from './hit.ts'
import type { Layout } from './layout.ts'
import type { View } from './view.ts'

/** All that a picture of the graph is made from. */
export interface Scene {
  readonly layout: Layout
  readonly run: Run
  readonly view: View
  readonly width: number
  readonly height: number
  readonly palette: Palette
  readonly say: Say
  readonly now: number
  readonly selected: Target | null
  /** Nodes that a search found; null without a search. */
  readonly matches: ReadonlySet<number> | null
}
