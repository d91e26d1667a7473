import { randomBytes } from 'node:crypto'
import { fail } from '../error/index.ts'

/** One part of a framed output. */
export interface Frame {
  readonly code: number
  readonly output: Buffer
}

/**
 * Puts many small scripts into one and takes their outputs apart again. Each runs in a subshell without input; its output is followed by a
 * line that holds a random word made for this one call, so no output can be taken for the end of another.
 */
export function framed(scripts: readonly string[]): { readonly script: string; parse(output: Buffer): readonly Frame[] } {
  const word = randomBytes(16).toString('hex')
  const script = scripts.map((part) => `(\n${part}\n) </dev/null 2>/dev/null\nprintf '\\n\\036${word} %s\\036\\n' "$?"`).join('\n')
  return {
    script: `${script}\nexit 0`,
    parse: (output) => {
      const frames: Frame[] = []
      const begin = Buffer.from(`\n\x1e${word} `)
      let from = 0
      for (;;) {
        const at = output.indexOf(begin, from)
        if (at < 0) break
        const end = output.indexOf('\x1e\n', at + begin.length)
        frames.push({ output: output.subarray(from, at), code: Number(output.subarray(at + begin.length, end).toString()) })
        from = end + 2
      }
      if (frames.length !== scripts.length) throw fail('KX_BUG', { what: `${frames.length} answers to ${scripts.length} questions` })
      return frames
    },
  }
}
