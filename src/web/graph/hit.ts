import { type Box, cellAt, type Layout } from './layout.ts'
import type { GraphModel } from './model.ts'

/** Something in the graph that can be pointed at. */
export type Target =
  | { readonly kind: 'module'; readonly index: number }
  | { readonly kind: 'task'; readonly index: number }
  | { readonly kind: 'node'; readonly index: number }

const holds = ({ x, y, width, height }: Box, px: number, py: number): boolean => px >= x && px < x + width && py >= y && py < y + height

/** What is at a point of the drawing; null beside everything. */
export function hit(layout: Layout, model: GraphModel, x: number, y: number): Target | null {
  const module = layout.modules.find((box) => box !== undefined && holds(box, x, y))
  if (module === undefined) return null
  for (const index of model.modules[module.module]?.tasks ?? []) {
    const box = layout.tasks[index]
    if (box === undefined || !holds(box, x, y)) continue
    const node = box.cells === null ? -1 : nodeAt(layout, model, index, x - box.x, y - box.y)
    return node >= 0 ? { kind: 'node', index: node } : { kind: 'task', index }
  }
  return { kind: 'module', index: module.module }
}

function nodeAt(layout: Layout, model: GraphModel, task: number, x: number, y: number): number {
  const cells = layout.tasks[task]?.cells
  const info = model.tasks[task]
  if (cells === null || cells === undefined || info === undefined || x < cells.left || y < cells.top) return -1
  const row = Math.floor((y - cells.top) / cells.rowHeight)
  const line = Math.min(
    cells.linesPerRow - 1,
    Math.floor((y - cells.top - row * cells.rowHeight) / (cells.linesPerRow === 1 ? cells.rowHeight : cellAt(cells, 0, 0).height)),
  )
  const inLine = Math.floor((x - cells.left) / cells.cellWidth)
  if (inLine >= cells.perLine) return -1
  return info.rows[row]?.cells[line * cells.perLine + inLine] ?? -1
}

/** The box of a target; a node of a closed task is where its task is. */
export function boxOfTarget(layout: Layout, model: GraphModel, target: Target): Box | null {
  if (target.kind === 'module') return layout.modules[target.index] ?? null
  if (target.kind === 'task') return layout.tasks[target.index] ?? null
  const task = model.nodes[target.index]?.task ?? -1
  const box = layout.tasks[task]
  const info = model.tasks[task]
  if (box === undefined || info === undefined || box.cells === null) return box ?? null
  const row = info.rows.findIndex(({ cells }) => cells.includes(target.index))
  const column = info.rows[row]?.cells.indexOf(target.index) ?? -1
  if (row < 0 || column < 0) return box
  const cell = cellAt(box.cells, row, column)
  return { ...cell, x: box.x + cell.x, y: box.y + cell.y }
}

export type Direction = 'up' | 'down' | 'left' | 'right'

/** The nearest target of the same kind in a direction: what the arrow keys go to. */
export function neighbour(layout: Layout, model: GraphModel, from: Target, direction: Direction): Target | null {
  const start = boxOfTarget(layout, model, from)
  if (start === null) return null
  const candidates =
    from.kind === 'node'
      ? nodesBeside(model, from.index)
      : layout.tasks.flatMap((box) => (box === undefined ? [] : { kind: 'task' as const, index: box.task }))
  const [cx, cy] = centre(start)
  let best: Target | null = null
  let least = Number.POSITIVE_INFINITY
  for (const target of candidates) {
    const box = boxOfTarget(layout, model, target)
    if (box === null || (target.kind === from.kind && target.index === from.index)) continue
    const [x, y] = centre(box)
    const [dx, dy] = [x - cx, y - cy]
    const along = { up: -dy, down: dy, left: -dx, right: dx }[direction]
    const aside = direction === 'up' || direction === 'down' ? Math.abs(dx) : Math.abs(dy)
    if (along <= 1) continue
    // What lies straight ahead is meant before what is nearer but beside.
    const distance = along + aside * 2.5
    if (distance < least) [best, least] = [target, distance]
  }
  return best
}

function nodesBeside(model: GraphModel, index: number): readonly Target[] {
  const task = model.tasks[model.nodes[index]?.task ?? -1]
  return (task?.nodes ?? []).map((node) => ({ kind: 'node', index: node }))
}

const centre = ({ x, y, width, height }: Box): readonly [number, number] => [x + width / 2, y + height / 2]
