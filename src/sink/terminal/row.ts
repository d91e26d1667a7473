import type { Millis } from '../../util/time.ts'
import type { Style } from '../style.ts'
import { cut, padded, width } from '../text.ts'

/** What one frame is drawn with: the measures that stay the same from frame to frame. */
export interface Canvas {
  readonly style: Style
  readonly columns: number
  /** Where the elapsed time begins: the same for all rows, and for all frames of a run. */
  readonly nameColumns: number
  readonly now: Millis
  readonly spinner: string
}

const timeColumns = 9

/** The columns that are left for words. */
export const wordRoom = (canvas: Canvas): number => canvas.columns - canvas.nameColumns - timeColumns - 3

interface Row {
  readonly indent: number
  readonly icon: string
  readonly name: string
  readonly time: string
  readonly text: string
  readonly alarm?: string
  readonly faint?: boolean
  readonly strong?: boolean
}

/** The one shape of a row: sign and name, elapsed time in a column of its own, then words. */
export function row(canvas: Canvas, { indent, icon, name, time, text, alarm = '', faint = false, strong = false }: Row): string {
  const { style } = canvas
  const label = padded(name, canvas.nameColumns - indent - 2)
  const room = wordRoom(canvas)
  const words = cut(text, room)
  const rest = alarm === '' ? '' : style.bad(cut(alarm, room - width(words)))
  return `${' '.repeat(indent)}${icon} ${strong ? style.strong(label) : label}${style.faint(time.padStart(timeColumns))}   ${faint ? style.faint(words) : words}${rest}`.trimEnd()
}
