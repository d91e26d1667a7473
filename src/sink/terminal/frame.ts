import { formatMillis, type Millis } from '../../util/time.ts'
import { plainStyle, type Style } from '../style.ts'
import { cut, edges, names, width } from '../text.ts'
import { aboutTime, clockTime, remaining, type StepHistory } from './estimate.ts'
import { hostRows } from './host-rows.ts'
import { type Canvas, row, wordRoom } from './row.ts'
import { finishedSteps, type ModuleView, type RunView, type TaskView } from './state.ts'
import { addTallies, tallyText } from './tally.ts'
import { count, hostCount } from './words.ts'

interface FrameOptions {
  readonly style?: Style
  readonly history?: StepHistory
}

/** A window narrower than this gets broken lines. */
const narrowest = 40

/** On a larger fleet rows for single hosts would be a lottery; the tasks' own rows then say how many are where. */
const mostHostsWithRows = 12

/** How much is told; the levels are tried from the richest to the poorest until the frame fits. */
interface Detail {
  readonly hostRows: number
  readonly doneModules: 'each' | 'together'
  readonly doneTasks: boolean
  readonly waitingTasks: boolean
}

const details: readonly Detail[] = [
  { hostRows: 6, doneModules: 'each', doneTasks: true, waitingTasks: true },
  { hostRows: 6, doneModules: 'together', doneTasks: true, waitingTasks: true },
  { hostRows: 4, doneModules: 'together', doneTasks: false, waitingTasks: true },
  { hostRows: 3, doneModules: 'together', doneTasks: false, waitingTasks: false },
  { hostRows: 1, doneModules: 'together', doneTasks: false, waitingTasks: false },
  { hostRows: 0, doneModules: 'together', doneTasks: false, waitingTasks: false },
]

/** The live view of a run as lines that fit into `columns` × `rows`: pure, so that it can be looked at without a terminal. */
export function renderFrame(view: RunView, columns: number, rows: number, now: Millis, options: FrameOptions = {}): string[] {
  const style = options.style ?? plainStyle
  const frames = style.icons.spinner
  const spinner = frames[Math.floor(now / 100) % frames.length] ?? ''
  // The last column stays free: a terminal that wraps there would add lines nobody counts.
  const canvas: Canvas = {
    style,
    columns: Math.max(narrowest, columns) - 1,
    nameColumns: nameColumns(view, Math.max(narrowest, columns)),
    now,
    spinner,
  }
  const head = header(view, canvas, options.history)
  // After a failure half of the window is left to what failed: it stands above, and is what the reader looks for.
  const height = view.tally.failed > 0 ? Math.min(rows, Math.max(10, Math.ceil(rows / 2))) : rows
  const room = Math.max(1, height - 1 - head.length)
  for (const detail of details) {
    const body = bodyLines(view, canvas, detail)
    if (body.length <= room) return [...head, ...body].slice(0, Math.max(1, rows - 1))
  }
  return [...head, ...clipped(bodyLines(view, canvas, details.at(-1) as Detail), room, style)].slice(0, Math.max(1, rows - 1))
}

function nameColumns(view: RunView, columns: number): number {
  let longest = 12
  for (const module of view.modules.values()) {
    longest = Math.max(longest, width(module.name) + 2)
    for (const task of module.tasks.keys()) longest = Math.max(longest, width(task) + 4)
  }
  return Math.min(longest, Math.max(16, Math.floor(columns * 0.42)))
}

function header(view: RunView, canvas: Canvas, history: StepHistory | undefined): string[] {
  const { style, now } = canvas
  const columns = Math.min(canvas.columns, 100)
  const hosts = hostCount(view)
  const left = remaining(view, now, history)
  const elapsed = clockTime(now - view.startedAt)
  const estimate = left === null ? '' : ` ${style.icons.dot} ${aboutTime(left)}`
  const name = cut(view.pipeline, columns - width(hosts) - width(elapsed) - 4)
  const time = width(name) + width(hosts) + width(elapsed + estimate) + 4 <= columns ? elapsed + estimate : elapsed
  const done = finishedSteps(view.tally)
  const progress = ` ${done}/${view.total} steps`
  const filled = view.total === 0 ? 0 : Math.floor((Math.min(done, view.total) / view.total) * (columns - progress.length))
  const paint = view.tally.failed > 0 ? style.bad : view.cancelling ? style.caution : style.good
  const bar =
    paint(style.icons.bar[0].repeat(filled)) + style.faint(style.icons.bar[1].repeat(Math.max(0, columns - progress.length - filled)))
  return [
    edges(`${style.strong(name)} ${style.faint(`${style.icons.dot} ${hosts}`)}`, time, columns),
    bar + style.faint(progress),
    ...notice(view, style).map((line) => style.caution(cut(line, canvas.columns))),
    '',
  ]
}

function notice(view: RunView, { icons }: Style): readonly string[] {
  const running = view.running.size
  const steps = `${count(running, 'step')} still running`
  if (view.cancelling) return [`${icons.warning} Stopping: ${steps}. Ctrl-C again leaves now.`]
  if (view.lost.size > 0 && !hasFailedElsewhere(view)) return [`${icons.warning} Going on without ${names([...view.lost], 60)}.`]
  return view.tally.failed > 0 ? [`${icons.warning} Stopping after a failure: ${steps}.`] : []
}

/** Whether something failed on a host that is not given up: then the run ends. */
const hasFailedElsewhere = ({ modules, lost }: RunView): boolean =>
  [...modules.values()].some(({ tasks }) => [...tasks.values()].some(({ failedHosts }) => [...failedHosts].some((host) => !lost.has(host))))

function bodyLines(view: RunView, canvas: Canvas, detail: Detail): string[] {
  const modules = [...view.modules.values()].filter((module) => module.tasks.size > 0)
  const done = modules.filter(isDone)
  const active = modules.filter((module) => !isDone(module) && isBegun(module))
  const waiting = modules.filter((module) => !isBegun(module))
  const aggregate = view.hosts.length > mostHostsWithRows
  return [
    ...(detail.doneModules === 'each'
      ? done.map((module) => doneModule(module, canvas))
      : [
          ...doneTogether(
            done.filter((module) => !moduleFailed(module)),
            canvas,
          ),
          ...done.filter(moduleFailed).map((module) => doneModule(module, canvas)),
        ]),
    ...active.flatMap((module) => activeModule(module, canvas, detail, aggregate)),
    ...waitingLine(
      '',
      waiting.map((module) => module.name),
      canvas,
    ),
  ]
}

const isBegun = (module: ModuleView): boolean => [...module.tasks.values()].some((task) => task.startedAt !== null)
const isDone = (module: ModuleView): boolean => [...module.tasks.values()].every((task) => task.endedAt !== null)
const hasFailed = (task: TaskView): boolean => task.outcome === 'failed' || task.outcome === 'rollback-failed' || task.tally.failed > 0

const moduleFailed = (module: ModuleView): boolean => [...module.tasks.values()].some(hasFailed)

function moduleTime(module: ModuleView, now: Millis): Millis {
  const tasks = [...module.tasks.values()].filter((task) => task.startedAt !== null)
  return Math.max(...tasks.map((task) => task.endedAt ?? now)) - Math.min(...tasks.map((task) => task.startedAt ?? now))
}

function doneModule(module: ModuleView, canvas: Canvas): string {
  const tasks = [...module.tasks.values()]
  const failed = moduleFailed(module)
  const { style } = canvas
  const icon = failed ? style.bad(style.icons.failed) : style.good(style.icons.done)
  return row(canvas, {
    indent: 0,
    icon,
    name: module.name,
    time: formatMillis(moduleTime(module, canvas.now)),
    text: tallyText(addTallies(tasks.map((task) => task.tally)), style, wordRoom(canvas)),
    faint: !failed,
  })
}

function doneTogether(done: readonly ModuleView[], canvas: Canvas): readonly string[] {
  if (done.length === 0) return []
  const { style } = canvas
  return [
    `${style.good(style.icons.done)} ${style.faint(
      names(
        done.map((module) => module.name),
        canvas.columns - 2,
      ),
    )}`,
  ]
}

function activeModule(module: ModuleView, canvas: Canvas, detail: Detail, aggregate: boolean): readonly string[] {
  const { style, now } = canvas
  const tasks = [...module.tasks.values()]
  const ended = tasks.filter((task) => task.endedAt !== null)
  const waiting = tasks.filter((task) => task.startedAt === null && task.endedAt === null)
  const text = `${ended.length}/${tasks.length} tasks`
  const head = row(canvas, {
    indent: 0,
    icon: style.accent(style.icons.start),
    name: module.name,
    time: clockTime(moduleTime(module, now)),
    text,
    strong: true,
  })
  const lines = tasks.flatMap((task) => {
    if (task.endedAt !== null) return detail.doneTasks || hasFailed(task) ? [doneTask(task, canvas)] : []
    return task.startedAt === null ? [] : [runningTask(task, canvas), ...hostRows(task, canvas, detail.hostRows, aggregate)]
  })
  return [
    head,
    ...lines,
    ...(detail.waitingTasks
      ? waitingLine(
          '  ',
          waiting.map((task) => task.name),
          canvas,
        )
      : []),
  ]
}

function doneTask(task: TaskView, canvas: Canvas): string {
  const { style } = canvas
  const cutOff = task.outcome === 'blocked' || task.outcome === 'cancelled'
  const [paint, icon] = hasFailed(task)
    ? [style.bad, style.icons.failed]
    : cutOff
      ? [style.caution, style.icons.skipped]
      : [style.good, style.icons.done]
  const time = formatMillis((task.endedAt ?? 0) - (task.startedAt ?? 0))
  return row(canvas, {
    indent: 2,
    icon: paint(icon),
    name: task.name,
    time,
    text: tallyText(task.tally, style, wordRoom(canvas)),
    faint: !hasFailed(task),
  })
}

function runningTask(task: TaskView, canvas: Canvas): string {
  const { style, now } = canvas
  const { dot } = style.icons
  const parts = [`${finishedSteps(task.tally)}/${task.total}`]
  if (task.running.size > 0) parts.push(`${task.running.size} running`)
  if (task.tally['rolled-back'] > 0) parts.push(`${task.tally['rolled-back']} undone`)
  const left = parts.join(` ${dot} `)
  const failed = [...task.failedHosts]
  const room = wordRoom(canvas) - width(left) - 12
  const failure = failed.length === 0 ? '' : ` ${dot} ${failed.length} failed${room > 0 ? ` ${names(failed, room)}` : ''}`
  const icon = failed.length > 0 ? style.bad(style.icons.failed) : style.accent(canvas.spinner)
  return row(canvas, { indent: 2, icon, name: task.name, time: clockTime(now - (task.startedAt ?? now)), text: left, alarm: failure })
}

function waitingLine(indent: string, waiting: readonly string[], canvas: Canvas): readonly string[] {
  if (waiting.length === 0) return []
  const { style } = canvas
  return [style.faint(`${indent}${style.icons.waiting} ${names(waiting, canvas.columns - indent.length - 2)}`)]
}

function clipped(lines: readonly string[], room: number, style: Style): readonly string[] {
  return [...lines.slice(0, Math.max(0, room - 1)), style.faint(`  … and ${lines.length - room + 1} more lines`)]
}
