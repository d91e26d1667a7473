import { type KeyboardEvent, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useApp } from '../app/context.ts'
import { usePalette } from '../parts/palette.ts'
import { useBox } from '../parts/use-box.ts'
import type { Run } from '../run/run.ts'
import { sharpPen } from './canvas.ts'
import { draw } from './draw.ts'
import { GraphBar } from './graph-bar.tsx'
import { boxOfTarget, type Direction, hit, neighbour, type Target } from './hit.ts'
import { layout as layOut } from './layout.ts'
import type { GraphModel } from './model.ts'
import { search } from './search.ts'
import { nameOf } from './target-name.ts'
import { useGestures } from './use-gestures.ts'
import { fitAll, fitWidth, keepInSight, type Reveal, reveal, type View, zoomAt } from './view.ts'

interface Props {
  readonly run: Run
  readonly version: number
  readonly now: number
  readonly live: boolean
  readonly selected: Target | null
  readonly onSelect: (target: Target | null) => void
}

const directions: Readonly<Record<string, Direction>> = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' }
const panBy = 80
/** What one asked to see stands well inside the picture. */
const jump: Reveal = { leastScale: 0.75, edge: 0.3 }

/** The execution graph: a canvas that can be dragged, zoomed, searched and walked through with the keyboard. */
export function GraphView({ run, version, now, live, selected, onSelect }: Props) {
  const { say } = useApp()
  const palette = usePalette()
  const { ref: frame, width, height } = useBox<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const view = useRef<View | null>(null)
  const [opened, setOpened] = useState<ReadonlySet<number>>(new Set())
  const [query, setQuery] = useState('')
  const [following, setFollowing] = useState(live)
  const [hovered, setHovered] = useState<{ readonly x: number; readonly y: number; readonly target: Target } | null>(null)
  const { model } = run
  const layout = useMemo(() => layOut(model, opened), [model, opened])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the run changes in place, the version tells that it did
  const found = useMemo(() => search(run, query), [run, query, version])
  const matches = useMemo(() => (found === null ? null : new Set(found)), [found])
  const screen = useMemo(() => ({ width, height }), [width, height])

  const measured = useRef<GraphModel | null>(null)
  const paint = useCallback(() => {
    if (canvas.current === null || width === 0 || model.nodes.length === 0) return
    view.current ??= fitWidth(layout, screen)
    const pen = sharpPen(canvas.current, width, height)
    if (pen !== null) draw(pen, { layout, run, view: view.current, width, height, palette, say, now, selected, matches })
    // For those who measure: how long it took until the graph could be seen.
    if (measured.current !== model) performance.mark('kubexm.graph', { detail: model.nodes.length })
    measured.current = model
  }, [layout, run, model, screen, width, height, palette, say, now, selected, matches])
  const frameOf = useRef(0)
  const current = useRef(paint)
  current.current = paint
  const repaint = useCallback(() => {
    cancelAnimationFrame(frameOf.current)
    frameOf.current = requestAnimationFrame(() => current.current())
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version is a reason to paint
  useLayoutEffect(repaint, [repaint, paint, version])

  const look = useCallback(
    (wanted: View) => {
      view.current = keepInSight(wanted, layout, screen)
      repaint()
    },
    [layout, screen, repaint],
  )
  const show = useCallback(
    (target: Target, how: Reveal = {}) => {
      const box = boxOfTarget(layout, model, target)
      if (box !== null && view.current !== null) look(reveal(view.current, box, screen, how))
    },
    [layout, model, screen, look],
  )
  const toggle = useCallback((task: number) => setOpened((before) => toggled(before, task)), [])

  /** A node can be seen only in an opened task, so showing it waits for the layout that has it. */
  const awaited = useRef<Reveal | null>(null)
  const select = useCallback(
    (target: Target, how: Reveal = jump) => {
      awaited.current = how
      setFollowing(false)
      if (target.kind === 'node') setOpened((before) => withTask(before, model.nodes[target.index]?.task ?? -1))
      onSelect(target)
    },
    [model, onSelect],
  )
  useEffect(() => {
    if (awaited.current === null || selected === null) return
    show(selected, awaited.current)
    awaited.current = null
  }, [selected, show])

  // A failure opens its task once: what one came to see should not have to be looked for.
  const openedFor = useRef(new Set<number>())
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version may hold a new failure
  useEffect(() => {
    if (run.total.failed === 0) return
    const failed = model.tasks.filter((task) => (run.tallies[task.index]?.failed ?? 0) > 0 && !openedFor.current.has(task.index))
    for (const task of failed) openedFor.current.add(task.index)
    if (failed.length > 0 && failed.length <= 3) setOpened((before) => new Set([...before, ...failed.map((task) => task.index)]))
  }, [run, model, version])

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version may run other steps
  useEffect(() => {
    if (!following || !live) return
    const task = model.tasks.findLast(({ index }) => (run.tallies[index]?.running ?? 0) > 0)
    if (task !== undefined) show({ kind: 'task', index: task.index })
  }, [following, live, run, model, version, show])

  const at = (x: number, y: number): Target | null => {
    const { scale, x: dx, y: dy } = view.current ?? { scale: 1, x: 0, y: 0 }
    return hit(layout, model, (x - dx) / scale, (y - dy) / scale)
  }
  const gestures = useRef({
    view: () => view.current ?? { scale: 1, x: 0, y: 0 },
    move: (_: View): void => undefined,
    press: (_x: number, _y: number): void => undefined,
    hover: (_: { readonly x: number; readonly y: number } | null): void => undefined,
  })
  gestures.current.move = (wanted) => {
    setFollowing(false)
    look(wanted)
  }
  gestures.current.press = (x, y) => {
    const target = at(x, y)
    canvas.current?.focus({ preventScroll: true })
    if (target === null || target.kind === 'module') return onSelect(null)
    if (target.kind === 'task' && (selected?.kind === 'task' ? selected.index === target.index : false)) toggle(target.index)
    onSelect(target)
  }
  gestures.current.hover = (point) => {
    const target = point === null ? null : at(point.x, point.y)
    setHovered(point === null || target === null || target.kind === 'module' ? null : { ...point, target })
  }
  useGestures(canvas, gestures)

  const zoom = (factor: number): void => {
    setFollowing(false)
    if (view.current !== null) look(zoomAt(view.current, factor, width / 2, height / 2))
  }
  const searchField = useRef<HTMLInputElement>(null)
  const keys = (event: KeyboardEvent): void => {
    const direction = directions[event.key]
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (direction !== undefined && event.shiftKey) {
      const from = gestures.current.view()
      look({ ...from, x: from.x + pan(direction, 'left', 'right'), y: from.y + pan(direction, 'up', 'down') })
    } else if (direction !== undefined) {
      const next = selected === null ? ({ kind: 'task', index: 0 } as const) : neighbour(layout, model, selected, direction)
      if (next !== null) select(next, { leastScale: 0.5 })
    } else if (event.key === '+' || event.key === '=') zoom(1.25)
    else if (event.key === '-') zoom(0.8)
    else if (event.key === '0') look(fitAll(layout, screen))
    else if (event.key === '/') searchField.current?.focus()
    else if (event.key === 'Escape')
      onSelect(selected?.kind === 'node' ? { kind: 'task', index: model.nodes[selected.index]?.task ?? 0 } : null)
    else if (event.key === 'Enter' || event.key === ' ') {
      const first = selected?.kind === 'task' ? model.tasks[selected.index]?.nodes[0] : undefined
      if (selected?.kind === 'task' && opened.has(selected.index) && event.key === 'Enter' && first !== undefined)
        select({ kind: 'node', index: first })
      else if (selected?.kind === 'task') toggle(selected.index)
    } else return
    event.preventDefault()
  }

  const failed = model.nodes.find((node) => run.states[node.index] === 'failed' || run.states[node.index] === 'rollback-failed')
  return (
    <div className="graph">
      <GraphBar
        query={query}
        onQuery={setQuery}
        found={found}
        onFound={(node) => select({ kind: 'node', index: node })}
        searchField={searchField}
        zoom={zoom}
        fit={() => look(fitAll(layout, screen))}
        allOpen={opened.size > 0}
        onAll={(open) => setOpened(open ? new Set(model.tasks.map((task) => task.index)) : new Set())}
        following={live ? following : null}
        onFollow={setFollowing}
        onFailed={failed === undefined ? null : () => select({ kind: 'node', index: failed.index })}
      />
      <div className="graph-frame" ref={frame}>
        {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: the arrow keys are the graph's, not the reader's */}
        <canvas
          ref={canvas}
          role="application"
          tabIndex={0}
          aria-label={say('graph.label')}
          onKeyDown={keys}
          data-nodes={model.nodes.length}
        />
        {hovered === null ? null : (
          <div className="tip" style={{ left: Math.min(hovered.x + 12, width - 240), top: hovered.y + 16 }}>
            {nameOf(run, hovered.target, say)}
          </div>
        )}
        <div className="hidden" role="status">
          {selected === null ? '' : nameOf(run, selected, say)}
        </div>
      </div>
    </div>
  )
}

const pan = (direction: Direction, back: Direction, forth: Direction): number =>
  direction === back ? panBy : direction === forth ? -panBy : 0

function toggled(before: ReadonlySet<number>, task: number): ReadonlySet<number> {
  const after = new Set(before)
  if (!after.delete(task)) after.add(task)
  return after
}

const withTask = (before: ReadonlySet<number>, task: number): ReadonlySet<number> =>
  before.has(task) ? before : new Set([...before, task])
