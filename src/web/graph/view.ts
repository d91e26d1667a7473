import type { Box } from './layout.ts'

/** What part of the drawing is seen: screen = drawing × scale + offset. */
export interface View {
  readonly scale: number
  readonly x: number
  readonly y: number
}

interface Size {
  readonly width: number
  readonly height: number
}

export const leastScale = 0.04
export const greatestScale = 4
const margin = 16

export const clampScale = (scale: number): number => Math.min(greatestScale, Math.max(leastScale, scale))

/** Zooms so that the point under the pointer stays under it. */
export function zoomAt(view: View, factor: number, px: number, py: number): View {
  const scale = clampScale(view.scale * factor)
  const ratio = scale / view.scale
  return { scale, x: px - (px - view.x) * ratio, y: py - (py - view.y) * ratio }
}

/** Shows all of the drawing, not larger than life. */
export function fitAll(drawing: Size, screen: Size): View {
  const scale = clampScale(
    Math.min(1, (screen.width - 2 * margin) / (drawing.width || 1), (screen.height - 2 * margin) / (drawing.height || 1)),
  )
  return {
    scale,
    x: (screen.width - drawing.width * scale) / 2,
    y: drawing.height * scale + 2 * margin < screen.height ? (screen.height - drawing.height * scale) / 2 : margin,
  }
}

/** Shows the beginning at a size that can be read. */
export function fitWidth(drawing: Size, screen: Size): View {
  const all = fitAll(drawing, screen)
  const scale = clampScale(Math.max(all.scale, Math.min(1, Math.max(0.62, (screen.width - 2 * margin) / (drawing.width || 1)))))
  if (scale === all.scale) return all
  return { scale, x: (screen.width - drawing.width * scale) / 2, y: margin }
}

/** How much a box is brought into sight. */
export interface Reveal {
  /** Zooms in when the scale is less. */
  readonly leastScale?: number
  /** As a share of the screen: how far from its edge the box shall be. */
  readonly edge?: number
}

/** Moves as little as needed so that a box is seen, and a small one is large enough to read. */
export function reveal(view: View, box: Box, screen: Size, { leastScale: least = 0, edge = 0.05 }: Reveal = {}): View {
  let { scale, x, y } = view
  if (scale < least) {
    scale = least
    x = screen.width / 2 - (box.x + box.width / 2) * scale
    y = screen.height / 2 - (box.y + box.height / 2) * scale
  }
  return {
    scale,
    x: into(x, box.x * scale, box.width * scale, screen.width, edge),
    y: into(y, box.y * scale, box.height * scale, screen.height, edge),
  }
}

function into(offset: number, start: number, size: number, room: number, share: number): number {
  const edge = Math.min(room * share, Math.max(0, (room - size) / 2))
  if (start + offset < edge || size > room) return edge - start
  return start + size + offset > room - edge ? room - edge - start - size : offset
}

/** The drawing never leaves the screen altogether. */
export function keepInSight(view: View, drawing: Size, screen: Size): View {
  const keep = 60
  return {
    scale: view.scale,
    x: Math.min(screen.width - keep, Math.max(keep - drawing.width * view.scale, view.x)),
    y: Math.min(screen.height - keep, Math.max(keep - drawing.height * view.scale, view.y)),
  }
}
