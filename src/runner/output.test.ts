import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lastLines } from '../util/last-lines.ts'
import { lineSplitter, signalsIn, Tail, withoutSignals } from './output.ts'

describe('the tail of a stream', () => {
  it('is the end of what was pushed, and says when there was more', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 })), fc.integer({ min: 0, max: 50 }), (chunks, most) => {
        const tail = new Tail(most)
        for (const chunk of chunks) tail.push(chunk)
        const all = Buffer.concat(chunks)
        expect(tail.bytes().equals(all.subarray(Math.max(0, all.length - most)))).toBe(true)
        expect(tail.truncated).toBe(all.length > most)
      }),
    )
  })
})

describe('lines', () => {
  const split = (chunks: readonly Uint8Array[]): readonly string[] => {
    const lines: string[] = []
    const splitter = lineSplitter((line) => lines.push(line))
    for (const chunk of chunks) splitter.push(chunk)
    splitter.end()
    return lines
  }

  it('are the same however the bytes are cut, also within a character', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))),
        fc.integer({ min: 1, max: 7 }),
        (lines, step) => {
          const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''))
          const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) => bytes.subarray(i * step, (i + 1) * step))
          expect(split(chunks)).toEqual(lines)
        },
      ),
    )
  })

  it('lose a carriage return, keep an unfinished last line, and are cut when they have no end', () => {
    expect(split([Buffer.from('a\r\n5%\r10%\r\nb')])).toEqual(['a', '10%', 'b'])
    const lines = split(Array.from({ length: 10 }, () => Buffer.alloc(32 * 1024, 'x')))
    expect(lines.join('')).toHaveLength(320 * 1024)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(64 * 1024)
  })
})

describe('signals of a script', () => {
  const text = 'first\n\x1ekx:fenced 12\x1e\nsecond\n\x1ekx:absent\x1e\n'
  it('are read, and taken out of what people see', () => {
    expect(signalsIn(text)).toEqual(
      new Map([
        ['fenced', '12'],
        ['absent', ''],
      ]),
    )
    expect(withoutSignals(text)).toBe('first\nsecond\n')
    expect(lastLines('a\nb\nc\n\n', 2)).toBe('b\nc')
  })
})
