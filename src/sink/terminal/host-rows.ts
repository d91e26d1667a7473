import type { Style } from '../style.ts'
import { cut, width } from '../text.ts'
import { clockTime } from './estimate.ts'
import { type Canvas, row, wordRoom } from './row.ts'
import type { HostView, TaskView } from './state.ts'

/**
 * The hosts below a running task. On a small fleet every host keeps its row, in order, so that nothing jumps; on a large one only those
 * that have been at it longest are worth a row.
 */
export function hostRows(task: TaskView, canvas: Canvas, most: number, aggregate: boolean): readonly string[] {
  const hosts = aggregate ? [...task.running.values()].slice(0, 3) : inOrder(task.hosts.values(), most)
  return hosts.slice(0, most).map((host) => (host.state === 'running' ? runningRow(host, canvas) : restingRow(host, canvas)))
}

const collator = new Intl.Collator('en', { numeric: true })

/** By name; where there is not room for all, those that are at work. */
function inOrder(hosts: Iterable<HostView>, most: number): readonly HostView[] {
  const sorted = [...hosts].sort((a, b) => collator.compare(a.host, b.host))
  return sorted.length <= most
    ? sorted
    : [...sorted.filter((host) => host.state === 'running'), ...sorted.filter((host) => host.state !== 'running')]
}

function runningRow(host: HostView, canvas: Canvas): string {
  const { style, now } = canvas
  const retry = host.attempt > 1 ? ` ${style.icons.dot} try ${host.attempt}` : ''
  const texts = progressTexts(host, style).map((progress) => `${host.title}${retry}${progress}`)
  const text = texts.find((text) => width(text) <= wordRoom(canvas)) ?? `${host.title}${retry}`
  const line = row(canvas, { indent: 4, icon: ' ', name: host.host, time: clockTime(now - host.since), text })
  // The last line a command printed, where there is room for enough of it to be read.
  const room = canvas.columns - width(line) - 3
  return host.line === '' || room < 20 ? line : `${line}   ${style.faint(cut(host.line, room))}`
}

function restingRow(host: HostView, canvas: Canvas): string {
  const failed = host.state === 'failed' || host.state === 'rollback-failed'
  return row(canvas, { indent: 4, icon: restingIcon(host, canvas.style), name: host.host, time: '', text: host.title, faint: !failed })
}

function restingIcon(host: HostView, style: Style): string {
  const { icons } = style
  if (host.state === 'failed' || host.state === 'rollback-failed') return style.bad(icons.failed)
  if (host.state === 'rolled-back') return style.caution(icons.undone)
  return host.state === 'cancelled' ? style.caution(icons.skipped) : style.good(icons.done)
}

/** From the longest to the shortest: how far a transfer is. */
function progressTexts({ progress }: HostView, { icons }: Style): readonly string[] {
  if (progress === null || progress.total <= 0) return ['']
  const part = Math.min(1, progress.done / progress.total)
  const bar = icons.bar[0].repeat(Math.round(part * 10)) + icons.bar[1].repeat(10 - Math.round(part * 10))
  const mebibytes = (bytes: number): string => String(Math.round(bytes / 1024 / 1024))
  const amount =
    progress.unit === 'bytes' ? `${mebibytes(progress.done)}/${mebibytes(progress.total)} MiB` : `${progress.done}/${progress.total}`
  return [` ${bar} ${amount}`, ` ${amount}`, ` ${Math.floor(part * 100)} %`]
}
