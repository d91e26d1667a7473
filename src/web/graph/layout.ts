import type { GraphModel, TaskInfo } from './model.ts'
import { directNeeds, ranksOf } from './ranks.ts'

export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Where the cells of an opened task are. */
export interface Cells {
  /** Hosts side by side in one line; more hosts than that go on in the next. */
  readonly perLine: number
  readonly linesPerRow: number
  readonly cellWidth: number
  readonly rowHeight: number
  /** From the corner of the task's box. */
  readonly left: number
  readonly top: number
}

export interface TaskBox extends Box {
  readonly task: number
  /** Null while the task is closed. */
  readonly cells: Cells | null
}

export interface ModuleBox extends Box {
  readonly module: number
}

/** A line from the bottom of one box to the top of another. */
export interface Edge {
  readonly x1: number
  readonly y1: number
  readonly x2: number
  readonly y2: number
  readonly critical: boolean
  readonly between: 'modules' | 'tasks'
}

export interface Layout {
  readonly width: number
  readonly height: number
  readonly modules: readonly ModuleBox[]
  /** By the index of the task. */
  readonly tasks: readonly TaskBox[]
  readonly edges: readonly Edge[]
}

/** Sizes in pixels at scale 1. */
export const sizes = {
  card: { width: 204, height: 46 },
  gap: 10,
  rankGap: 26,
  moduleHead: 24,
  modulePad: 12,
  moduleGap: { x: 28, y: 44 },
  taskHead: 30,
  hostHead: 16,
  labelWidth: 250,
  row: 18,
  cell: 15,
  wideCell: 62,
  /** Up to so many hosts have their names above their column. */
  namedHosts: 7,
  cellsPerLine: 60,
  cardsPerLine: 4,
} as const

interface Sized {
  readonly width: number
  readonly height: number
}

/** Places everything: ranks of modules from top to bottom, inside each its tasks in ranks, inside an opened task its steps by host. */
export function layout(model: GraphModel, opened: ReadonlySet<number>): Layout {
  const inside = model.modules.map((module) => insideOf(model, module.tasks, opened))
  const ranks = ranksOf(model.modules)
  const widths = ranks.map((members) => sum(members.map((index) => inside[index]?.width ?? 0)) + sizes.moduleGap.x * (members.length - 1))
  const width = Math.max(0, ...widths)
  const modules: ModuleBox[] = []
  const tasks: TaskBox[] = []
  let y = 0
  for (const [rank, members] of ranks.entries()) {
    let x = (width - (widths[rank] ?? 0)) / 2
    for (const index of members) {
      const content = inside[index]
      if (content === undefined) continue
      modules[index] = { module: index, x, y, width: content.width, height: content.height }
      for (const box of content.tasks) tasks[box.task] = { ...box, x: box.x + x, y: box.y + y }
      x += content.width + sizes.moduleGap.x
    }
    y += Math.max(0, ...members.map((index) => inside[index]?.height ?? 0)) + sizes.moduleGap.y
  }
  const edges = [
    ...edgesOf(directNeeds(model.modules), modules, (index) => model.modules[index]?.critical === true, 'modules'),
    ...model.modules.flatMap((module) =>
      edgesOf(
        directNeeds(module.tasks.flatMap((index) => model.tasks[index] ?? [])),
        tasks,
        (index) => model.tasks[index]?.critical === true,
        'tasks',
      ),
    ),
  ]
  return { width, height: Math.max(0, y - sizes.moduleGap.y), modules, tasks, edges }
}

/** The tasks of one module, from its corner on. */
function insideOf(
  model: GraphModel,
  indexes: readonly number[],
  opened: ReadonlySet<number>,
): Sized & { readonly tasks: readonly TaskBox[] } {
  const members = indexes.flatMap((index) => model.tasks[index] ?? [])
  const lines = ranksOf(members).flatMap((rank) => linesOf(rank, opened))
  const placed: TaskBox[] = []
  let y = sizes.moduleHead + sizes.modulePad / 2
  let width = 0
  for (const { tasks, first } of lines) {
    if (placed.length > 0) y += first ? sizes.rankGap : sizes.gap
    let x = sizes.modulePad
    let height = 0
    for (const index of tasks) {
      const task = model.tasks[index]
      if (task === undefined) continue
      const box = boxOf(task, opened.has(index))
      placed.push({ ...box, x, y })
      x += box.width + sizes.gap
      height = Math.max(height, box.height)
    }
    width = Math.max(width, x - sizes.gap + sizes.modulePad)
    y += height
  }
  return { tasks: placed, width, height: y + sizes.modulePad }
}

/** Closed tasks share lines; an opened one has a line of its own. */
function linesOf(rank: readonly number[], opened: ReadonlySet<number>): readonly { tasks: number[]; first: boolean }[] {
  const lines: { tasks: number[]; first: boolean }[] = []
  let room = 0
  for (const index of rank) {
    const isOpen = opened.has(index)
    if (isOpen || room === 0) lines.push({ tasks: [], first: lines.length === 0 })
    lines.at(-1)?.tasks.push(index)
    room = isOpen ? 0 : (room === 0 ? sizes.cardsPerLine : room) - 1
  }
  return lines
}

function boxOf(task: TaskInfo, opened: boolean): TaskBox {
  const { width, height } = sizes.card
  if (!opened) return { task: task.index, x: 0, y: 0, width, height, cells: null }
  const named = task.hosts.length <= sizes.namedHosts
  const perLine = Math.max(1, Math.min(task.hosts.length, sizes.cellsPerLine))
  const linesPerRow = Math.max(1, Math.ceil(task.hosts.length / perLine))
  const cellWidth = named ? sizes.wideCell : sizes.cell
  const rowHeight = linesPerRow === 1 ? sizes.row : linesPerRow * sizes.cell + 4
  const cells = { perLine, linesPerRow, cellWidth, rowHeight, left: sizes.labelWidth, top: sizes.taskHead + (named ? sizes.hostHead : 0) }
  return {
    task: task.index,
    x: 0,
    y: 0,
    width: Math.max(width, cells.left + perLine * cellWidth + sizes.gap),
    height: cells.top + task.rows.length * rowHeight + sizes.gap,
    cells,
  }
}

/** Where a cell is, from the corner of the task's box. */
export function cellAt(cells: Cells, row: number, column: number): Box {
  const line = Math.floor(column / cells.perLine)
  const height = cells.linesPerRow === 1 ? cells.rowHeight : sizes.cell
  return {
    x: cells.left + (column % cells.perLine) * cells.cellWidth,
    y: cells.top + row * cells.rowHeight + line * sizes.cell,
    width: cells.cellWidth,
    height,
  }
}

/** Lines leave and arrive beside each other, in the order of the boxes they lead to, so that they do not cross at once. */
function edgesOf(
  pairs: readonly (readonly [from: number, to: number])[],
  boxes: readonly Box[],
  isCritical: (index: number) => boolean,
  between: Edge['between'],
): readonly Edge[] {
  const middle = (index: number): number => (boxes[index]?.x ?? 0) + (boxes[index]?.width ?? 0) / 2
  const port = (index: number, other: number, others: readonly number[]): number => {
    const sorted = others.toSorted((a, b) => middle(a) - middle(b))
    const box = boxes[index]
    return (box?.x ?? 0) + ((box?.width ?? 0) * (sorted.indexOf(other) + 1)) / (sorted.length + 1)
  }
  return pairs.flatMap(([from, to]) => {
    const [source, target] = [boxes[from], boxes[to]]
    if (source === undefined || target === undefined) return []
    const outgoing = pairs.filter(([a]) => a === from).map(([, b]) => b)
    const incoming = pairs.filter(([, b]) => b === to).map(([a]) => a)
    return {
      x1: port(from, to, outgoing),
      y1: source.y + source.height,
      x2: port(to, from, incoming),
      y2: target.y,
      critical: isCritical(from) && isCritical(to),
      between,
    }
  })
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
