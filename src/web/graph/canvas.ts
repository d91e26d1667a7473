import { type IconName, icons } from '../parts/icons.ts'

/** What 2D contexts have that we draw with. */
export type Pen = CanvasRenderingContext2D

const paths = new Map<IconName, Path2D>()

/** Draws an icon with its middle at a point. */
export function drawIcon(pen: Pen, name: IconName, x: number, y: number, size: number, colour: string): void {
  let path = paths.get(name)
  if (path === undefined) {
    path = new Path2D(icons[name])
    paths.set(name, path)
  }
  pen.save()
  pen.translate(x - size / 2, y - size / 2)
  pen.scale(size / 16, size / 16)
  pen.strokeStyle = colour
  pen.lineWidth = 1.9
  pen.lineCap = 'round'
  pen.lineJoin = 'round'
  pen.stroke(path)
  pen.restore()
}

const fitted = new Map<string, string>()

/** A text cut so that it fits; measuring is slow, so what was measured is kept. */
export function fitText(pen: Pen, text: string, room: number): string {
  const key = `${pen.font}\n${Math.round(room)}\n${text}`
  const known = fitted.get(key)
  if (known !== undefined) return known
  if (fitted.size > 20_000) fitted.clear()
  const cut = measured(pen, text, room)
  fitted.set(key, cut)
  return cut
}

function measured(pen: Pen, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (pen.measureText(`${text.slice(0, middle)}…`).width <= room) low = middle
    else high = middle - 1
  }
  return low === 0 ? '' : `${text.slice(0, low)}…`
}

/** A rectangle with round corners, as the pen's path. */
export function roundBox(pen: Pen, x: number, y: number, width: number, height: number, radius: number): void {
  pen.beginPath()
  pen.roundRect(x, y, width, height, radius)
}

/** Makes a canvas as many pixels as the screen has there, so that lines are sharp; the pen then draws in CSS pixels. */
export function sharpPen(canvas: HTMLCanvasElement, width: number, height: number): Pen | null {
  const ratio = Math.min(window.devicePixelRatio || 1, 2)
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))]
  if (canvas.width !== w) canvas.width = w
  if (canvas.height !== h) canvas.height = h
  const pen = canvas.getContext('2d')
  pen?.setTransform(ratio, 0, 0, ratio, 0, 0)
  return pen
}
