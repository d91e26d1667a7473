import { describe, expect, it } from 'vitest'
import { listener, preflightOf, type Situation } from '../../test/support/preflight.ts'
import { fail } from '../error/index.ts'
import { osProfiles } from '../simulation/index.ts'
import { renderPreflight } from '../sink/index.ts'
import { preflightJson, preflightReport } from './run-preflight.ts'

/** Twelve problems on three hosts. */
const twelve: Situation = {
  node1: {
    cpus: 1,
    processes: [listener('nginx', 6443)],
    swapAreas: [{ path: '/swapfile', sizeMiB: 2048 }],
    says: { dd: '230000 bytes (230 kB, 225 KiB) copied, 2.348 s, 98 kB/s\n' },
  },
  node2: {
    memoryMiB: 1024,
    clockOffsetMs: -94_300,
    units: ['docker'],
    facts: { hostname: 'localhost.localdomain' },
  },
  node3: {
    os: osProfiles['rocky-9'],
    diskMiB: 4096,
    noTimeService: true,
    files: { '/etc/resolv.conf': 'nameserver 127.0.0.1\n' },
  },
}

const look = { color: false, columns: 100, language: 'en' } as const

describe('the report of a preflight', () => {
  it('shows twelve problems on three hosts', async () => {
    const { cluster, ...found } = await preflightOf({
      ...twelve,
      node3: { ...twelve.node3, os: { ...osProfiles['rocky-9'], firewallActive: false } },
    })
    expect(found.findings).toHaveLength(12)
    await expect(renderPreflight(preflightReport(cluster, found, []), look)).toMatchFileSnapshot('golden/preflight-twelve.txt')
    await expect(renderPreflight(preflightReport(cluster, found, []), { ...look, language: 'zh' })).toMatchFileSnapshot(
      'golden/preflight-twelve-zh.txt',
    )
  })

  it('praises good hosts', async () => {
    const { cluster, ...found } = await preflightOf({})
    await expect(renderPreflight(preflightReport(cluster, found, ['node1', 'node3']), look)).toMatchFileSnapshot('golden/preflight-fit.txt')
  })

  it('is JSON with stable fields', async () => {
    const { cluster, ...found } = await preflightOf({ node2: { cpus: 1, noTimeService: true } })
    const json = preflightJson(cluster, preflightReport(cluster, found, ['node2']))
    expect(json).toEqual({
      cluster: 'test',
      fit: false,
      errors: 1,
      warnings: 1,
      hosts: [
        {
          name: 'node2',
          address: '192.0.2.2',
          roles: ['worker'],
          findings: [
            {
              severity: 'error',
              code: 'KX_CPU_TOO_FEW',
              problem: '1 CPU, at least 2 are needed for worker',
              fix: 'give the machine more CPUs, or lower preflight.minCPUCores',
              params: { cpus: 1, least: 2, roles: 'worker' },
            },
            {
              severity: 'warning',
              code: 'KX_TIME_SERVICE_KEPT',
              problem: 'no time service is running, and the config leaves it so',
              fix: 'name time servers in system.ntpServers, or install and start chrony on the host',
              params: {},
            },
          ],
          unchecked: [],
        },
      ],
    })
  })

  it('names a host that cannot be reached beside what was found on the others', async () => {
    const { cluster, ...found } = await preflightOf({ node1: { cpus: 1 } })
    const error = fail('KX_CONNECT_REFUSED', { address: '192.0.2.2', port: 22 })
    const report = preflightReport(cluster, { ...found, lost: new Map([['node2', error]]) }, [])
    expect(preflightJson(cluster, report).hosts).toMatchObject([
      { name: 'node1', findings: [{ code: 'KX_CPU_TOO_FEW' }], unchecked: [] },
      { name: 'node2', unchecked: [{ check: 'Reach the host', code: 'KX_CONNECT_REFUSED' }] },
      { name: 'node3', unchecked: [] },
    ])
    expect(preflightJson(cluster, report)).toMatchObject({ fit: false, errors: 2 })
  })

  it('does not call a host fit that could not be checked', async () => {
    const { cluster, ...found } = await preflightOf({})
    const error = fail('KX_CONNECTION_LOST', { address: '192.0.2.2', why: 'the network is cut' })
    const report = preflightReport(cluster, found, ['node2'])
    const cut = { hosts: report.hosts.map((host) => ({ ...host, unchecked: [{ check: 'Look at the host', error }] })) }
    expect(preflightJson(cluster, cut)).toMatchObject({ fit: false, errors: 1 })
    expect(renderPreflight(cut, look)).toContain('✗ KX_CONNECTION_LOST  Look at the host:')
  })
})
