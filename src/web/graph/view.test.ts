import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitAll, fitWidth, keepInSight, reveal, type View, zoomAt } from './view.ts'

const screen = { width: 1000, height: 600 }
const view: fc.Arbitrary<View> = fc.record({
  scale: fc.double({ min: 0.05, max: 4, noNaN: true }),
  x: fc.double({ min: -5000, max: 5000, noNaN: true }),
  y: fc.double({ min: -5000, max: 5000, noNaN: true }),
})
const point = fc.record({ x: fc.integer({ min: 0, max: 1000 }), y: fc.integer({ min: 0, max: 600 }) })

describe('zoomAt', () => {
  it('keeps the point under the pointer where it is', () => {
    fc.assert(
      fc.property(view, point, fc.double({ min: 0.2, max: 5, noNaN: true }), (from, { x, y }, factor) => {
        const to = zoomAt(from, factor, x, y)
        expect((x - to.x) / to.scale).toBeCloseTo((x - from.x) / from.scale, 4)
        expect((y - to.y) / to.scale).toBeCloseTo((y - from.y) / from.scale, 4)
      }),
    )
  })
})

describe('fitting', () => {
  it('shows all of it', () => {
    const { scale, x, y } = fitAll({ width: 4000, height: 3000 }, screen)
    expect(x).toBeGreaterThanOrEqual(0)
    expect(y).toBeGreaterThanOrEqual(0)
    expect(4000 * scale).toBeLessThanOrEqual(1000)
    expect(3000 * scale).toBeLessThanOrEqual(600)
  })

  it('does not blow a small drawing up', () => expect(fitAll({ width: 100, height: 50 }, screen).scale).toBe(1))

  it('starts at a size that can be read, however large the drawing is', () => {
    expect(fitWidth({ width: 9000, height: 20_000 }, screen).scale).toBeGreaterThanOrEqual(0.6)
  })
})

describe('reveal', () => {
  it('brings any box that fits wholly onto the screen', () => {
    const boxes = fc.record({
      x: fc.integer({ min: 0, max: 3000 }),
      y: fc.integer({ min: 0, max: 3000 }),
      width: fc.constant(150),
      height: fc.constant(50),
    })
    fc.assert(
      fc.property(view, boxes, (from, box) => {
        const { scale, x, y } = reveal(from, box, screen)
        fc.pre(box.width * scale < screen.width && box.height * scale < screen.height)
        expect(box.x * scale + x).toBeGreaterThanOrEqual(-0.001)
        expect((box.x + box.width) * scale + x).toBeLessThanOrEqual(screen.width + 0.001)
        expect(box.y * scale + y).toBeGreaterThanOrEqual(-0.001)
        expect((box.y + box.height) * scale + y).toBeLessThanOrEqual(screen.height + 0.001)
      }),
    )
  })

  it('does not move when the box is in sight', () => {
    const at = { scale: 1, x: 0, y: 0 }
    expect(reveal(at, { x: 300, y: 200, width: 100, height: 50 }, screen)).toEqual(at)
  })
})

describe('keepInSight', () => {
  it('never lets the drawing leave the screen', () => {
    fc.assert(
      fc.property(view, (from) => {
        const { scale, x, y } = keepInSight(from, { width: 800, height: 800 }, screen)
        expect(x).toBeLessThan(screen.width)
        expect(y).toBeLessThan(screen.height)
        expect(x + 800 * scale).toBeGreaterThan(0)
        expect(y + 800 * scale).toBeGreaterThan(0)
      }),
    )
  })
})
