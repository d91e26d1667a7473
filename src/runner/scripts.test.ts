import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { changeNote, noteScript } from './change-note.ts'
import { removeScript } from './file-scripts.ts'
import { framed } from './frames.ts'
import { normalSysctl, sysctlPath } from './kernel.ts'
import { currentPath, unitName } from './services.ts'

describe('frames', () => {
  it('keep every answer apart, whatever it prints and however it ends', () => {
    const text = fc.string({ unit: 'grapheme' }).map((part) => part.replaceAll('\0', ''))
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }), (answers) => {
        const { script, parse } = framed(answers.map(([said, code]) => `printf %s '${said.replaceAll("'", `'\\''`)}'; cat; exit ${code}`))
        // The shell may end before it was given its input: that is no failure of what it printed.
        const frames = parse(spawnSync('/bin/sh', ['-c', script], { input: 'not for them' }).stdout)
        expect(frames.map(({ output, code }) => [output.toString(), code])).toEqual(answers)
      }),
      { numRuns: 20 },
    )
  })

  it('notice when an answer is missing', () => {
    expect(() => framed(['true', 'true']).parse(Buffer.from('nothing'))).toThrow(expect.objectContaining({ code: 'KX_BUG' }))
  })
})

describe('the note before a change', () => {
  it('is nothing where there is nothing to note', () => {
    expect(noteScript(undefined, null)).toBe('')
    expect(noteScript({ ledgerLine: 'x' }, null)).toBe('')
    expect(noteScript({ ledgerLine: 'x' }, 'due')).toContain('ledger.jsonl')
    expect(noteScript({ fence: 3 }, null)).not.toContain('ledger.jsonl')
  })

  it('has the line until one change is known to have had it', async () => {
    const note = changeNote({ ledgerLine: 'the-line', fence: 1 })
    const seen: string[] = []
    const attempt = (outcome: () => Promise<void>): Promise<void> =>
      note.ahead(async (prefix) => {
        seen.push(prefix.includes('tail -n 1') ? 'unsure' : prefix.includes('the-line') ? 'line' : 'fence')
        await outcome()
      })
    await expect(attempt(() => Promise.reject(Object.assign(new Error('cut'), { code: 'KX_CONNECTION_LOST' })))).rejects.toThrow('cut')
    await Promise.all([attempt(() => Promise.resolve()), attempt(() => Promise.resolve())])
    await expect(attempt(() => Promise.reject(Object.assign(new Error('failed'), { code: 'KX_FILE' })))).rejects.toThrow('failed')
    await attempt(() => Promise.resolve())
    expect(seen).toEqual(['line', 'unsure', 'fence', 'fence', 'fence'])
  })
})

describe('names', () => {
  it.each([
    ['net.ipv4.ip_forward', '/proc/sys/net/ipv4/ip_forward'],
    ['net/ipv4/ip_forward', '/proc/sys/net/ipv4/ip_forward'],
    ['net.ipv4.conf.eth0/100.forwarding', '/proc/sys/net/ipv4/conf/eth0.100/forwarding'],
    ['net/ipv4/conf/eth0.100/forwarding', '/proc/sys/net/ipv4/conf/eth0.100/forwarding'],
  ])('sysctl %s is %s', (key, path) => expect(sysctlPath(key)).toBe(path))

  it('sysctl values and units have one spelling', () => {
    expect(normalSysctl('4096\t16384   4194304\n')).toBe('4096 16384 4194304')
    expect(['etcd', 'etcd.service', 'x@1.timer', 'a.b'].map(unitName)).toEqual(['etcd.service', 'etcd.service', 'x@1.timer', 'a.b.service'])
    expect(currentPath('etcd')).toBe('/var/lib/kubexm/current/etcd.service')
  })

  it('removal goes up as far as it is told, and no further', () => {
    expect(removeScript('/a/b/c/d', false, '/a')).toContain('for d in /a/b/c /a/b;')
    expect(removeScript('/a/b', false, '/')).toContain('for d in /a;')
    expect(removeScript('/a/b', false, '/a')).not.toContain('for d')
    expect(removeScript('/ab/c', true, '/a')).not.toContain('for d')
  })
})
