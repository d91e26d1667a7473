import { type KeyboardEvent, type PointerEvent, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useApp } from '../app/context.ts'
import { sharpPen } from '../graph/canvas.ts'
import type { Target } from '../graph/hit.ts'
import { nameOf } from '../graph/target-name.ts'
import { Icon } from '../parts/icon.tsx'
import { usePalette } from '../parts/palette.ts'
import { useBox } from '../parts/use-box.ts'
import type { Run } from '../run/run.ts'
import { axisHeight, drawTimeline, laneHeight, rowTops } from './draw.ts'
import { timelineOf } from './lanes.ts'

interface Props {
  readonly run: Run
  readonly version: number
  readonly now: number
  readonly selected: Target | null
  readonly onSelect: (target: Target) => void
}

/** What each host did when: one row a host, one bar a step. */
export function TimelineView({ run, version, now, selected, onSelect }: Props) {
  const { say } = useApp()
  const palette = usePalette()
  const { ref: frame, width, height } = useBox<HTMLDivElement>()
  const canvas = useRef<HTMLCanvasElement>(null)
  const [zoom, setZoom] = useState(1)
  const [tip, setTip] = useState<{ readonly x: number; readonly y: number; readonly text: string } | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the run changes in place, the version tells that it did
  const timeline = useMemo(() => timelineOf(run, now), [run, version, now])
  const tops = useMemo(() => rowTops(timeline?.hosts ?? []), [timeline])
  const labelWidth = width < 560 ? 84 : 140
  const room = Math.max(100, width - labelWidth - 24)
  const pixelsPerMs = timeline === null ? 1 : (room / (timeline.to - timeline.from)) * zoom
  const bottom = (tops.at(-1) ?? 0) + 8

  const paint = useCallback(() => {
    const [element, scroller] = [canvas.current, frame.current]
    if (element === null || scroller === null || timeline === null || width === 0) return
    const pen = sharpPen(element, width, height)
    const node = selected?.kind === 'node' ? selected.index : null
    const { scrollLeft: scrollX, scrollTop: scrollY } = scroller
    if (pen !== null)
      drawTimeline(pen, { timeline, tops, run, palette, width, height, labelWidth, scrollX, scrollY, pixelsPerMs, selected: node })
  }, [timeline, tops, run, palette, width, height, labelWidth, pixelsPerMs, selected, frame])
  useLayoutEffect(paint, [paint])

  const nodeAt = (event: PointerEvent): number | null => {
    const [element, scroller] = [canvas.current, frame.current]
    if (element === null || scroller === null || timeline === null) return null
    const { left, top } = element.getBoundingClientRect()
    const x = event.clientX - left
    const y = event.clientY - top + scroller.scrollTop
    if (x < labelWidth || event.clientY - top < axisHeight) return null
    const row = tops.findLastIndex((start) => start <= y)
    const lane = Math.floor((y - (tops[row] ?? 0) - 4) / laneHeight)
    const at = timeline.from + (x - labelWidth + scroller.scrollLeft) / pixelsPerMs
    const slack = 2 / pixelsPerMs
    return timeline.hosts[row]?.bars.find((bar) => bar.lane === lane && at >= bar.from - slack && at <= bar.to + slack)?.node ?? null
  }
  const hover = (event: PointerEvent): void => {
    const node = nodeAt(event)
    const { left = 0, top = 0 } = frame.current?.getBoundingClientRect() ?? {}
    setTip(
      node === null ? null : { x: event.clientX - left, y: event.clientY - top, text: nameOf(run, { kind: 'node', index: node }, say) },
    )
  }
  const zoomBy = (factor: number): void => setZoom((before) => Math.min(400, Math.max(1, before * factor)))
  const keys = (event: KeyboardEvent): void => {
    if (event.key === '+' || event.key === '=') zoomBy(1.5)
    else if (event.key === '-') zoomBy(1 / 1.5)
    else if (event.key === '0') setZoom(1)
  }

  if (timeline === null) return <p className="empty">{say('timeline.empty')}</p>
  return (
    <div className="timeline">
      <div className="bar">
        <span className="hint">
          {say('timeline.hosts')}: {timeline.hosts.length}
        </span>
        <span className="spring" />
        <button
          type="button"
          className="icon"
          aria-label={say('graph.zoomOut')}
          title={say('graph.zoomOut')}
          onClick={() => zoomBy(1 / 1.5)}
        >
          <Icon name="minus" />
        </button>
        <button type="button" className="icon" aria-label={say('graph.zoomIn')} title={say('graph.zoomIn')} onClick={() => zoomBy(1.5)}>
          <Icon name="plus" />
        </button>
        <button type="button" className="icon" aria-label={say('graph.fit')} title={say('graph.fit')} onClick={() => setZoom(1)}>
          <Icon name="fit" />
        </button>
      </div>
      <div className="timeline-outer">
        <div
          className="timeline-frame"
          ref={frame}
          onScroll={paint}
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls and zooms by keyboard
          tabIndex={0}
          role="application"
          aria-label={say('timeline.label')}
          onKeyDown={keys}
        >
          <canvas
            ref={canvas}
            style={{ width, height }}
            onPointerMove={hover}
            onPointerLeave={() => setTip(null)}
            onPointerUp={(event) => {
              const node = nodeAt(event)
              if (node !== null) onSelect({ kind: 'node', index: node })
            }}
          />
          <div style={{ width: labelWidth + room * zoom + 20, height: Math.max(0, bottom - height) }} />
        </div>
        {tip === null ? null : (
          <div className="tip" style={{ left: Math.min(tip.x + 12, width - 240), top: tip.y + 16 }}>
            {tip.text}
          </div>
        )}
      </div>
    </div>
  )
}
