import { doneIn } from '../run/states.ts'
import { fitText, type Pen, roundBox } from './canvas.ts'
import { drawTask } from './draw-task.ts'
import { boxOfTarget } from './hit.ts'
import type { Box, Edge } from './layout.ts'
import { sizes } from './layout.ts'
import type { Scene } from './scene.ts'

/** Below this scale names cannot be read, so only shapes, colours and modules are drawn. */
const readable = 0.45

/** Draws what of the graph is in sight. */
export function draw(pen: Pen, scene: Scene): void {
  const { layout, view, width, height, palette, run } = scene
  pen.fillStyle = palette.sunken
  pen.fillRect(0, 0, width, height)
  pen.save()
  pen.translate(view.x, view.y)
  pen.scale(view.scale, view.scale)
  const sight: Box = { x: -view.x / view.scale, y: -view.y / view.scale, width: width / view.scale, height: height / view.scale }
  const far = view.scale < readable
  for (const box of layout.modules) if (box !== undefined && meets(box, sight)) drawModule(pen, scene, box.module, box, far)
  drawEdges(pen, scene, sight)
  for (const box of layout.tasks) if (box !== undefined && meets(box, sight)) drawTask(pen, scene, box, sight, far)
  if (scene.selected !== null) outline(pen, boxOfTarget(layout, run.model, scene.selected), palette.accent, view.scale)
  pen.restore()
}

/** Whether two boxes have a point in common. */
export const meets = (a: Box, b: Box): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

function drawModule(pen: Pen, { run, palette, view }: Scene, index: number, box: Box, far: boolean): void {
  const module = run.model.modules[index]
  if (module === undefined) return
  roundBox(pen, box.x, box.y, box.width, box.height, 6)
  pen.fillStyle = palette.raised
  pen.fill()
  pen.lineWidth = far ? 1 / view.scale : 1
  pen.strokeStyle = palette.line
  pen.stroke()
  let [done, total] = [0, 0]
  for (const task of module.tasks) {
    done += doneIn(run.tallyOf(task))
    total += run.model.tasks[task]?.nodes.length ?? 0
  }
  // From afar the name grows, as far as its box allows: it is what one finds the way by.
  const size = far ? Math.min(11 / view.scale, sizes.moduleHead * 1.6) : 11
  pen.textBaseline = 'middle'
  pen.font = `600 ${size}px ${palette.font}`
  pen.fillStyle = palette.muted
  pen.textAlign = 'left'
  const y = box.y + sizes.moduleHead / 2 + 2
  pen.fillText(fitText(pen, module.name, box.width - 2 * sizes.modulePad - (far ? 0 : 60)), box.x + sizes.modulePad, y)
  if (far) return
  pen.font = `11px ${palette.font}`
  pen.textAlign = 'right'
  pen.fillStyle = palette.faint
  pen.fillText(`${done}/${total}`, box.x + box.width - sizes.modulePad, y)
}

function drawEdges(pen: Pen, { layout, palette, view }: Scene, sight: Box): void {
  const layers = [
    { shown: (edge: Edge) => !edge.critical && edge.between === 'tasks', colour: palette.line, width: 1 },
    { shown: (edge: Edge) => !edge.critical && edge.between === 'modules', colour: palette['strong-line'], width: 1.2 },
    { shown: (edge: Edge) => edge.critical, colour: palette.critical, width: 2 },
  ]
  for (const { shown, colour, width } of layers) {
    pen.beginPath()
    for (const edge of layout.edges) {
      if (!shown(edge)) continue
      const [top, bottom] = [Math.min(edge.y1, edge.y2), Math.max(edge.y1, edge.y2)]
      const [left, right] = [Math.min(edge.x1, edge.x2), Math.max(edge.x1, edge.x2)]
      if (!meets({ x: left - 1, y: top - 1, width: right - left + 2, height: bottom - top + 2 }, sight)) continue
      const bend = Math.max(10, (edge.y2 - edge.y1) * 0.45)
      pen.moveTo(edge.x1, edge.y1)
      pen.bezierCurveTo(edge.x1, edge.y1 + bend, edge.x2, edge.y2 - bend, edge.x2, edge.y2)
    }
    pen.strokeStyle = colour
    pen.lineWidth = Math.max(width, (width * 0.7) / view.scale)
    pen.stroke()
  }
}

function outline(pen: Pen, box: Box | null, colour: string, scale: number): void {
  if (box === null) return
  const width = Math.max(2, 2 / scale)
  roundBox(pen, box.x - width / 2, box.y - width / 2, box.width + width, box.height + width, 5)
  pen.strokeStyle = colour
  pen.lineWidth = width
  pen.stroke()
}
