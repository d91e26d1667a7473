import { fitText, type Pen } from '../graph/canvas.ts'
import { durationText } from '../i18n/time.ts'
import type { Palette } from '../parts/palette.ts'
import type { Run } from '../run/run.ts'
import { type HostLanes, type Timeline, tickEvery } from './lanes.ts'

export const axisHeight = 24
export const laneHeight = 14
const rowPad = 4

/** What of the timeline is seen, and how. */
export interface TimelineScene {
  readonly timeline: Timeline
  readonly tops: readonly number[]
  readonly run: Run
  readonly palette: Palette
  readonly width: number
  readonly height: number
  readonly labelWidth: number
  readonly scrollX: number
  readonly scrollY: number
  readonly pixelsPerMs: number
  readonly selected: number | null
}

/** Where each host's row begins, and as the last where all end. */
export function rowTops(hosts: readonly HostLanes[]): readonly number[] {
  const tops = [axisHeight]
  for (const { lanes } of hosts) tops.push((tops.at(-1) ?? 0) + lanes * laneHeight + 2 * rowPad)
  return tops
}

interface SeenRow {
  readonly row: HostLanes
  readonly top: number
  readonly height: number
  readonly ground: string
}

function rowsInSight({ timeline, tops, scrollY, height, palette }: TimelineScene): readonly SeenRow[] {
  return timeline.hosts.flatMap((row, at) => {
    const top = (tops[at] ?? 0) - scrollY
    const bottom = (tops[at + 1] ?? 0) - scrollY
    if (bottom < axisHeight || top > height) return []
    return { row, top, height: bottom - top, ground: at % 2 === 1 ? palette.raised : palette.surface }
  })
}

/** Draws the rows in sight, with the axis above and the hosts' names at the left. */
export function drawTimeline(pen: Pen, scene: TimelineScene): void {
  const { palette, width, height, labelWidth } = scene
  const rows = rowsInSight(scene)
  pen.fillStyle = palette.surface
  pen.fillRect(0, 0, width, height)
  pen.textBaseline = 'middle'
  for (const { top, height: rowHeight, ground } of rows) {
    pen.fillStyle = ground
    pen.fillRect(0, top, width, rowHeight)
  }
  drawGrid(pen, scene)
  for (const { row, top, height: rowHeight, ground } of rows) {
    for (const bar of row.bars) drawBar(pen, scene, bar.node, bar.from, bar.to, top + rowPad + bar.lane * laneHeight)
    pen.fillStyle = ground
    pen.fillRect(0, top, labelWidth, rowHeight)
    pen.fillStyle = palette.text
    pen.font = `12px ${palette.font}`
    pen.fillText(fitText(pen, row.host, labelWidth - 14), 10, top + rowPad + laneHeight / 2)
  }
  drawAxis(pen, scene)
  pen.fillStyle = palette.line
  pen.fillRect(labelWidth - 1, 0, 1, height)
}

function drawBar(pen: Pen, scene: TimelineScene, node: number, from: number, to: number, y: number): void {
  const { timeline, run, palette, pixelsPerMs, scrollX, labelWidth, width, selected } = scene
  const x = labelWidth + (from - timeline.from) * pixelsPerMs - scrollX
  const length = Math.max(2, (to - from) * pixelsPerMs)
  if (x > width || x + length < labelWidth) return
  const state = run.states[node] ?? 'pending'
  pen.fillStyle = palette.state[state]
  pen.globalAlpha = state === 'satisfied' ? 0.55 : 1
  pen.fillRect(x, y + 1, Math.max(1.5, length - 1), laneHeight - 3)
  pen.globalAlpha = 1
  const info = run.model.nodes[node]
  if (info?.critical === true) {
    pen.fillStyle = palette.critical
    pen.fillRect(x, y + laneHeight - 3, Math.max(1.5, length - 1), 2)
  }
  if (length > 44 && info !== undefined) {
    pen.font = `10.5px ${palette.font}`
    pen.fillStyle = palette.surface
    const start = Math.max(x + 4, labelWidth + 4)
    pen.fillText(fitText(pen, info.title, x + length - 6 - start), start, y + laneHeight / 2)
  }
  if (selected === node) {
    pen.strokeStyle = palette.text
    pen.lineWidth = 2
    pen.strokeRect(x, y, length, laneHeight - 1)
  }
}

/** The marks of the axis that are in sight: how far from its start, and where on the screen. */
function ticksOf({
  width,
  timeline,
  pixelsPerMs,
  scrollX,
  labelWidth,
}: TimelineScene): readonly { readonly ms: number; readonly x: number }[] {
  const every = tickEvery(90 / pixelsPerMs)
  const ticks: { ms: number; x: number }[] = []
  for (let ms = Math.ceil(scrollX / pixelsPerMs / every) * every; ms <= timeline.to - timeline.from + every; ms += every) {
    const x = labelWidth + ms * pixelsPerMs - scrollX
    if (x > width) break
    ticks.push({ ms, x })
  }
  return ticks
}

function drawGrid(pen: Pen, scene: TimelineScene): void {
  pen.fillStyle = scene.palette.line
  for (const { x } of ticksOf(scene)) pen.fillRect(x, axisHeight - 4, 1, scene.height)
}

function drawAxis(pen: Pen, scene: TimelineScene): void {
  const { palette, width } = scene
  pen.fillStyle = palette.raised
  pen.fillRect(0, 0, width, axisHeight)
  pen.font = `11px ${palette.font}`
  for (const { ms, x } of ticksOf(scene)) {
    pen.fillStyle = palette.line
    pen.fillRect(x, axisHeight - 6, 1, 6)
    pen.fillStyle = palette.muted
    pen.fillText(durationText(ms), x + 4, axisHeight / 2)
  }
  pen.fillStyle = palette.line
  pen.fillRect(0, axisHeight - 1, width, 1)
}
