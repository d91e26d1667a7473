import { describe, expect, it } from 'vitest'
import { inSituation, listener, preflightOf } from '../../../../test/support/preflight.ts'
import { execute } from '../../../engine/index.ts'

const broken = {
  node1: { cpus: 1, processes: [listener('nginx', 6443)] },
  node2: { clockOffsetMs: 60_000 },
  node3: { noTimeService: true, files: { '/etc/resolv.conf': '' } },
} as const

describe('preflight as the first part of a run', () => {
  it('reports everything before it stops the run, with one error', async () => {
    const { outcome, errors, findings, fleet } = await inSituation(broken, execute)
    expect(outcome).toBe('failed')
    expect(errors.map(({ code, message, exitCode }) => ({ code, message, exitCode }))).toEqual([
      { code: 'KX_PREFLIGHT', message: 'preflight found 4 problems on 3 hosts', exitCode: 12 },
    ])
    expect(findings.map(({ host, code }) => `${host} ${code}`).sort()).toEqual([
      'node1 KX_CPU_TOO_FEW',
      'node1 KX_PORT_TAKEN',
      'node2 KX_CLOCK_APART',
      'node3 KX_RESOLV_MISSING',
      'node3 KX_TIME_SERVICE_KEPT',
    ])
    expect(fleet.mutations()).toEqual([])
  })

  it('goes on where there are only warnings', async () => {
    const { outcome, findings } = await inSituation({ node3: { noTimeService: true } }, execute)
    expect({ outcome, codes: findings.map(({ code }) => code) }).toEqual({ outcome: 'success', codes: ['KX_TIME_SERVICE_KEPT'] })
  })

  it('says of a host that is lost in the middle that it could not be checked', async () => {
    const { planned } = await preflightOf({
      node2: { changed: (host) => void queueMicrotask(() => setImmediate(() => host.cutNetwork())) },
    })
    expect(new Set(planned.map(({ node, unknown }) => `${node.host} ${unknown?.code}`))).toEqual(new Set(['node2 KX_CONNECTION_LOST']))
  })
})
