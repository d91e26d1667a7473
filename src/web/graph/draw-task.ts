import { durationText } from '../i18n/time.ts'
import { stateIcons } from '../parts/icons.ts'
import { taskSpan } from '../run/span.ts'
import { doneIn, nodeStates, stateOf } from '../run/states.ts'
import { drawIcon, fitText, type Pen, roundBox } from './canvas.ts'
import { type Box, type Cells, cellAt, sizes, type TaskBox } from './layout.ts'
import type { TaskInfo } from './model.ts'
import type { Scene } from './scene.ts'

/** Draws one task: a card, or its steps by host when it is opened. */
export function drawTask(pen: Pen, scene: Scene, box: TaskBox, sight: Box, far: boolean): void {
  const task = scene.run.model.tasks[box.task]
  if (task === undefined) return
  const { palette, run, matches } = scene
  const state = stateOf(run.tallyOf(task.index))
  const found = matches === null || task.nodes.some((node) => matches.has(node))
  pen.globalAlpha = found ? 1 : 0.3
  roundBox(pen, box.x, box.y, box.width, box.height, 4)
  pen.fillStyle = box.cells === null ? palette.wash[state] : palette.surface
  pen.fill()
  pen.lineWidth = far ? 1 / scene.view.scale : 1
  pen.strokeStyle = state === 'pending' ? palette['strong-line'] : palette.state[state]
  pen.stroke()
  if (task.critical) {
    pen.fillStyle = palette.critical
    pen.fillRect(box.x, box.y + 5, 3, box.height - 10)
  }
  drawHead(pen, scene, task, box, far)
  if (box.cells === null) drawBar(pen, scene, task, box)
  else drawCells(pen, scene, task, box, box.cells, sight, far)
  pen.globalAlpha = 1
}

function drawHead(pen: Pen, { palette, run, say, now }: Scene, task: TaskInfo, box: TaskBox, far: boolean): void {
  const tally = run.tallyOf(task.index)
  const state = stateOf(tally)
  const x = box.x + 12
  if (far) {
    drawIcon(pen, stateIcons[state], box.x + 20, box.y + Math.min(box.height / 2, 22), 22, palette.state[state])
    return
  }
  drawIcon(pen, stateIcons[state], x + 6, box.y + 15, 13, palette.state[state])
  const counts = `${doneIn(tally)}/${task.nodes.length}`
  pen.textBaseline = 'middle'
  pen.font = `11px ${palette.font}`
  pen.textAlign = 'right'
  pen.fillStyle = palette.muted
  pen.fillText(counts, box.x + box.width - 9, box.y + 15)
  const room = box.width - 40 - pen.measureText(counts).width - 8
  pen.textAlign = 'left'
  pen.font = `600 12px ${palette.font}`
  pen.fillStyle = palette.text
  pen.fillText(fitText(pen, task.name, room), x + 18, box.y + 15)
  const span = taskSpan(run, task, now)
  const hosts = task.hosts.length === 1 ? (task.hosts[0] ?? '') : say('graph.hosts', { n: task.hosts.length })
  const line = span === null ? hosts : `${hosts} · ${durationText(span.ms)}`
  pen.font = `11px ${palette.font}`
  pen.fillStyle = palette.muted
  if (box.cells === null) pen.fillText(fitText(pen, line, box.width - 40), x + 18, box.y + 30)
  else {
    pen.textAlign = 'right'
    const right = box.x + box.width - 16 - pen.measureText(counts).width
    if (right - pen.measureText(line).width > box.x + sizes.labelWidth) pen.fillText(line, right, box.y + 15)
    pen.textAlign = 'left'
  }
}

function drawBar(pen: Pen, { palette, run }: Scene, task: TaskInfo, box: TaskBox): void {
  const tally = run.tallyOf(task.index)
  const room = box.width - 14
  let x = box.x + 8
  pen.fillStyle = palette.line
  pen.fillRect(x, box.y + box.height - 6, room, 3)
  for (const state of nodeStates) {
    if (tally[state] === 0 || state === 'pending') continue
    const width = (room * tally[state]) / task.nodes.length
    pen.fillStyle = palette.state[state]
    pen.fillRect(x, box.y + box.height - 6, width, 3)
    x += width
  }
}

function drawCells(pen: Pen, scene: Scene, task: TaskInfo, box: TaskBox, cells: Cells, sight: Box, far: boolean): void {
  const { palette, view } = scene
  const wide = cells.cellWidth > sizes.cell
  pen.textBaseline = 'middle'
  pen.font = `10.5px ${palette.font}`
  if (wide && !far) {
    pen.fillStyle = palette.muted
    pen.textAlign = 'center'
    for (const [column, host] of task.hosts.entries()) {
      const x = box.x + cells.left + (column + 0.5) * cells.cellWidth
      pen.fillText(fitText(pen, host, cells.cellWidth - 4), x, box.y + sizes.taskHead + sizes.hostHead / 2 - 3)
    }
  }
  pen.textAlign = 'left'
  const icons = Math.min(cells.cellWidth, sizes.cell) * view.scale >= 11
  for (const [at, row] of task.rows.entries()) {
    const y = box.y + cells.top + at * cells.rowHeight
    if (y > sight.y + sight.height) break
    if (y + cells.rowHeight < sight.y) continue
    if (!far) {
      pen.fillStyle = palette.text
      pen.font = `11.5px ${palette.font}`
      pen.fillText(fitText(pen, row.title || row.step, cells.left - 24), box.x + 14, y + Math.min(cells.rowHeight, sizes.row) / 2)
    }
    for (const [column, node] of row.cells.entries()) if (node >= 0) drawCell(pen, scene, node, box, cellAt(cells, at, column), icons)
  }
}

function drawCell(pen: Pen, { run, palette, matches }: Scene, node: number, box: TaskBox, cell: Box, icons: boolean): void {
  const state = run.states[node] ?? 'pending'
  const dim = matches !== null && !matches.has(node)
  const alpha = pen.globalAlpha
  if (dim) pen.globalAlpha = 0.15
  const [x, y, width, height] = [box.x + cell.x + 1, box.y + cell.y + 1, cell.width - 2, cell.height - 2]
  // Without icons the colour says it all, so it is the full one; what is to come stays in the background.
  pen.fillStyle = icons ? palette.wash[state] : state === 'pending' ? palette.line : palette.state[state]
  pen.fillRect(x, y, width, height)
  const progress = run.progress.get(node)
  if (progress !== undefined && progress.total > 0) {
    pen.fillStyle = palette.state[state]
    pen.fillRect(x, y + height - 3, width * Math.min(1, progress.done / progress.total), 3)
  }
  if (icons) drawIcon(pen, stateIcons[state], x + width / 2, y + height / 2, 10, palette.state[state])
  if (run.model.nodes[node]?.critical === true) {
    pen.fillStyle = palette.critical
    pen.fillRect(x, y + height - 2, width, 2)
  }
  if (matches !== null && !dim) {
    pen.strokeStyle = palette.match
    pen.lineWidth = 1.5
    pen.strokeRect(x, y, width, height)
  }
  pen.globalAlpha = alpha
}
