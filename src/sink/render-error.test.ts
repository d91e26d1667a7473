import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { fail } from '../error/index.ts'
import { dedent } from '../util/dedent.ts'
import { renderError } from './render-error.ts'

const where = { pipelineId: 'run-1', pipeline: 'create-cluster', module: 'etcd', task: 'etcd.install', step: 'etcd.start', host: 'node4' }
const error = fail(
  'KX_COMMAND',
  { command: 'systemctl start etcd', code: 1 },
  { where, seen: 'Job for etcd.service failed.\nSee journalctl -xeu etcd.service\n' },
)

describe('renderError', () => {
  it('says what failed and where, what was seen, what to do', () => {
    expect(`${renderError(error)}\n`).toBe(dedent`
      ✗ KX_COMMAND  node4: "systemctl start etcd" ended with 1
        in etcd › etcd.install › etcd.start
        Job for etcd.service failed.
        See journalctl -xeu etcd.service
        Fix: see what it printed; run it by hand on the host to learn more
    `)
  })

  it('says it in Chinese', () => {
    expect(`${renderError(error, { language: 'zh' })}\n`).toBe(dedent`
      ✗ KX_COMMAND  node4："systemctl start etcd" 以 1 结束
        位于 etcd › etcd.install › etcd.start
        Job for etcd.service failed.
        See journalctl -xeu etcd.service
        解决：查看其输出；可在主机上手动执行以了解详情
    `)
  })

  it('breaks prose to the width of the terminal', () => {
    expect(`${renderError(error, { columns: 46 })}\n`).toBe(dedent`
      ✗ KX_COMMAND  node4: "systemctl start etcd"
        ended with 1
        in etcd › etcd.install › etcd.start
        Job for etcd.service failed.
        See journalctl -xeu etcd.service
        Fix: see what it printed; run it by
             hand on the host to learn more
    `)
  })

  it('leaves a fix that holds a command in one piece', () => {
    const fix = "give ubuntu passwordless sudo, e.g. echo 'ubuntu ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/kubexm"
    expect(renderError(fail('KX_BUG', { what: 'x' }, { fix }), { columns: 40 })).toContain(`  Fix: ${fix}`)
  })

  it('tells a cause only when it adds something', () => {
    const inner = fail('KX_COMMAND', { command: 'true', code: 1 }, { cause: new Error('connect ECONNREFUSED 10.0.0.1:22') })
    const outer = fail('KX_STEP_FAILED', { title: 'Start etcd', why: inner.message }, { cause: inner })
    const text = renderError(outer)
    expect(text).toContain('  because connect ECONNREFUSED 10.0.0.1:22')
    expect(text.match(/ended with 1/g)).toHaveLength(1)
  })

  it('keeps the end of a long output, and escape sequences away', () => {
    const seen = Array.from({ length: 50 }, (_, i) => `line ${i + 1}\u001b[2J`).join('\n')
    const text = renderError(fail('KX_BUG', { what: 'x' }, { seen }))
    expect(text).toContain('(and 30 lines before)')
    expect(text).not.toContain('line 30\n')
    expect(text).toContain('line 31\n')
    expect(text).not.toContain('\u001b')
  })

  it('has colours only when asked, and the same words with them', () => {
    const coloured = renderError(error, { color: true })
    expect(coloured).toContain('\u001b[31m')
    expect(stripVTControlCharacters(coloured)).toBe(renderError(error))
  })

  it('can do without signs beyond ASCII', () => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: everything but ASCII is looked for
    expect(renderError(error, { unicode: false })).not.toMatch(/[^\u0000-\u007f]/)
  })
})
