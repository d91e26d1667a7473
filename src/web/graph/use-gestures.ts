import { type RefObject, useEffect } from 'react'
import { type View, zoomAt } from './view.ts'

interface Gestures {
  /** The view as it is, and as it shall be. */
  readonly view: () => View
  readonly move: (view: View) => void
  readonly press: (x: number, y: number) => void
  readonly hover: (point: { readonly x: number; readonly y: number } | null) => void
}

/** A pointer that moved less than this was a press, not a drag. */
const still = 4

/** Drags, pinches and turns of the wheel on an element, as moves of the view. */
export function useGestures(element: RefObject<HTMLElement | null>, gestures: RefObject<Gestures>): void {
  useEffect(() => {
    const target = element.current
    if (target === null) return
    const fingers = new Map<number, { x: number; y: number }>()
    let moved = 0
    const place = (event: PointerEvent | WheelEvent) => {
      const { left, top } = target.getBoundingClientRect()
      return { x: event.clientX - left, y: event.clientY - top }
    }

    const down = (event: PointerEvent): void => {
      if (event.button !== 0) return
      target.setPointerCapture(event.pointerId)
      if (fingers.size === 0) moved = 0
      fingers.set(event.pointerId, place(event))
    }
    const move = (event: PointerEvent): void => {
      const now = place(event)
      const before = fingers.get(event.pointerId)
      if (before === undefined) {
        gestures.current.hover(now)
        return
      }
      const [dx, dy] = [now.x - before.x, now.y - before.y]
      moved += Math.abs(dx) + Math.abs(dy)
      const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1]
      fingers.set(event.pointerId, now)
      if (moved < still) return
      const { view } = gestures.current
      gestures.current.hover(null)
      if (other === undefined) gestures.current.move({ ...view(), x: view().x + dx, y: view().y + dy })
      else gestures.current.move(pinch(view(), before, now, other))
    }
    const up = (event: PointerEvent): void => {
      if (!fingers.delete(event.pointerId) || fingers.size > 0 || moved >= still || event.type === 'pointercancel') return
      const { x, y } = place(event)
      gestures.current.press(x, y)
    }
    const leave = (): void => gestures.current.hover(null)
    const wheel = (event: WheelEvent): void => {
      event.preventDefault()
      const { x, y } = place(event)
      const view = gestures.current.view()
      const lines = event.deltaMode === 1 ? 16 : 1
      // A pinch on a touchpad comes as a wheel with Control held.
      if (event.ctrlKey || event.metaKey) gestures.current.move(zoomAt(view, Math.exp(-event.deltaY * lines * 0.004), x, y))
      else if (event.shiftKey) gestures.current.move({ ...view, x: view.x - (event.deltaX || event.deltaY) * lines })
      else gestures.current.move({ ...view, x: view.x - event.deltaX * lines, y: view.y - event.deltaY * lines })
    }

    target.addEventListener('pointerdown', down)
    target.addEventListener('pointermove', move)
    target.addEventListener('pointerup', up)
    target.addEventListener('pointercancel', up)
    target.addEventListener('pointerleave', leave)
    target.addEventListener('wheel', wheel, { passive: false })
    return () => {
      target.removeEventListener('pointerdown', down)
      target.removeEventListener('pointermove', move)
      target.removeEventListener('pointerup', up)
      target.removeEventListener('pointercancel', up)
      target.removeEventListener('pointerleave', leave)
      target.removeEventListener('wheel', wheel)
    }
  }, [element, gestures])
}

interface Point {
  readonly x: number
  readonly y: number
}

/** Two fingers: their distance is the scale, their middle moves the view. */
function pinch(view: View, before: Point, now: Point, other: Point): View {
  const distance = (a: Point): number => Math.max(8, Math.hypot(a.x - other.x, a.y - other.y))
  const middle = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
  const zoomed = zoomAt(view, distance(now) / distance(before), middle.x, middle.y)
  return { ...zoomed, x: zoomed.x + (now.x - before.x) / 2, y: zoomed.y + (now.y - before.y) / 2 }
}
