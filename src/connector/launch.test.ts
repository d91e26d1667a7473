import { execFileSync, spawn } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { afterMarker, launch } from './launch.ts'

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

describe('the line for the login shell', () => {
  it.each(['/bin/sh', '/bin/bash'])('gives any text through %s as it is', (shell) => {
    fc.assert(
      fc.property(
        // A few a time: starting a shell takes longer than all it does.
        fc.array(
          fc.tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.constantFrom('\\', "'", '!', '\n', '`', '\\\\0', 'é', '🙂', '%b')),
          { minLength: 1, maxLength: 8 },
        ),
        (texts) => {
          const words = texts.map(([text, more]) => (text + more + text).replaceAll('\0', ''))
          const start = launch(`printf %s ${words.map(quoted).join(' ')}`)
          const output = execFileSync(shell, ['-c', start.line], { stdio: ['ignore', 'pipe', 'ignore'] })
          expect(output.toString()).toBe(start.marker.toString() + words.join(''))
        },
      ),
      { numRuns: 15 },
    )
  })

  it('has no character that fish or csh would change between single quotes', () => {
    const { line } = launch(`a\\b'c\nd!e\\\\f\`g\`é`)
    expect(line).not.toMatch(/\\\\|\\'|[\n!`é]/)
  })

  it('moves a command that is too long for an argument to stdin, before its own input', () => {
    const start = launch(`: '${'x'.repeat(200_000)}'; cat`)
    expect(start.line.length).toBeLessThan(1000)
    const output = execFileSync('/bin/sh', start.argv, { input: `${start.stdinPrefix}rest`, stdio: ['pipe', 'pipe', 'ignore'] })
    expect(output.toString()).toBe(`${start.marker}rest`)
  })

  it('leaves the command no arguments of ours', () => {
    expect(execFileSync('/bin/sh', launch('echo "$#:$*"').argv, { stdio: ['ignore', 'pipe', 'ignore'] }).toString()).toMatch(/0:\n$/)
  })
})

describe('the kill script', () => {
  it.each(['sleep 300 & (setsid sleep 300 &) ; sleep 300', 'exec sleep 300', 'sh -c "sleep 300; :" | cat'])(
    'ends all of "%s" and nothing else',
    async (command) => {
      const [start, other] = [launch(command), launch('sleep 300')]
      const children = [start, other].map(({ argv }) => spawn('/bin/sh', argv, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] }))
      const [child, bystander] = children
      await Promise.all(children.map((one) => new Promise((resolve) => one.stdout.once('data', resolve))))
      // The streams end when the last process that holds them has ended, whatever it is called.
      const ended = new Promise((resolve) => child?.once('close', resolve))
      execFileSync('/bin/sh', launch(start.killScript).argv, { stdio: 'ignore' })
      await ended
      expect(bystander?.exitCode).toBeNull()
      execFileSync('/bin/sh', launch(other.killScript).argv, { stdio: 'ignore' })
    },
  )
})

describe('what comes before the marker', () => {
  it('is dropped, however the bytes are cut', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.array(fc.nat(10), { minLength: 1 }), (before, after, cuts) => {
        const marker = Buffer.from('\x1ekx-1\x1e')
        const all = Buffer.concat([Buffer.from(before.replaceAll('\x1e', '')), marker, Buffer.from(after)])
        const seen: Buffer[] = []
        const filter = afterMarker(marker, (chunk) => void seen.push(chunk))
        for (let at = 0, i = 0; at < all.length; i++) {
          const step = (cuts[i % cuts.length] ?? 0) + 1
          filter.push(all.subarray(at, at + step))
          at += step
        }
        expect(Buffer.concat(seen).toString()).toBe(Buffer.from(after).toString())
        expect(filter.before()).toBeNull()
      }),
    )
  })

  it('is kept, its end at least, while the marker has not come', () => {
    const filter = afterMarker(Buffer.from('\x1ekx-1\x1e'), () => undefined)
    filter.push(Buffer.from(`${'x'.repeat(5000)}This account is closed`))
    expect(filter.before()).toMatch(/This account is closed$/)
    expect(filter.before()?.length).toBeLessThan(1000)
  })
})
