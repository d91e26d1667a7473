import { describe, expect, it } from 'vitest'
import { preflightOf, tryRows } from '../../../../../test/support/preflight.ts'

const ntp = 'system: {ntpServers: [ntp.example.com]}'
const keepOs = 'system: {skipConfigureOS: true}'
const hosts = (line: string) => ({ '/etc/hosts': `127.0.0.1 localhost\n${line}\n` })

describe('names and clocks', () => {
  tryRows([
    {
      code: 'KX_HOSTNAME',
      severity: 'warning',
      on: ['node2'],
      fires: { node2: { facts: { hostname: 'localhost.localdomain' } } },
      says: 'called localhost.localdomain, the config calls it node2',
      quiet: { spec: keepOs, node2: { facts: { hostname: 'other' } } },
    },
    {
      code: 'KX_HOSTNAME_KEPT',
      severity: 'error',
      on: ['node2'],
      fires: { spec: keepOs, node2: { facts: { hostname: 'Node_2' } } },
      quiet: { spec: keepOs },
    },
    {
      code: 'KX_DUPLICATE_HOSTNAME',
      severity: 'warning',
      on: ['node1', 'node2'],
      fires: { node1: { facts: { hostname: 'template' } }, node2: { facts: { hostname: 'template' } } },
      quiet: { node1: { facts: { hostname: 'template1' } }, node2: { facts: { hostname: 'template2' } } },
    },
    {
      code: 'KX_DUPLICATE_HOSTNAME',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { spec: keepOs, node1: { facts: { hostname: 'template' } }, node2: { facts: { hostname: 'template' } } },
      quiet: { spec: keepOs },
    },
    {
      code: 'KX_DUPLICATE_MACHINE_ID',
      severity: 'error',
      on: ['node2', 'node3'],
      fires: { node2: { facts: { machineId: 'ab12' } }, node3: { facts: { machineId: 'ab12' } } },
      quiet: { node2: { facts: { machineId: '' } }, node3: { facts: { machineId: '' } } },
    },
    {
      code: 'KX_DUPLICATE_PRODUCT_UUID',
      severity: 'warning',
      on: ['node2', 'node3'],
      fires: { node2: { facts: { productUuid: 'ab-12' } }, node3: { facts: { productUuid: 'ab-12' } } },
      quiet: {
        node1: { facts: { productUuid: null } },
        node2: { facts: { productUuid: 'ab-12' }, virtualization: 'systemd-nspawn' },
        node3: { facts: { productUuid: 'ab-12' }, virtualization: 'systemd-nspawn' },
      },
    },
    {
      code: 'KX_CLOCK_APART',
      severity: 'error',
      on: ['node3'],
      fires: { node3: { clockOffsetMs: -63_200 } },
      says: 'differs from those of the other hosts by -63.2 s, 5 s are allowed',
      quiet: { node3: { clockOffsetMs: 5000 } },
    },
    {
      code: 'KX_CLOCK_APART',
      severity: 'warning',
      on: ['node3'],
      fires: { spec: ntp, node3: { clockOffsetMs: 9000 } },
      quiet: { spec: 'preflight: {maxClockSkewSeconds: 10}', node3: { clockOffsetMs: 9000 } },
    },
    {
      code: 'KX_CLOCK_SKEW',
      severity: 'error',
      on: ['node1', 'node2', 'node3'],
      fires: { node1: { clockOffsetMs: 7000 }, node2: { clockOffsetMs: 7100 }, node3: { clockOffsetMs: 7200 } },
      says: '+7.0 s',
      quiet: { node1: { clockOffsetMs: 4000 }, node2: { clockOffsetMs: -4000 } },
    },
    {
      code: 'KX_TIME_SERVICE',
      severity: 'warning',
      on: ['node1'],
      fires: { spec: ntp, node1: { noTimeService: true } },
      quiet: { spec: ntp, node1: { noTimeService: true, units: ['systemd-timesyncd'] } },
    },
    {
      code: 'KX_TIME_SERVICE_KEPT',
      severity: 'warning',
      on: ['node1', 'node2'],
      fires: { node1: { noTimeService: true }, node2: { noTimeService: true, units: ['ntpsec-rotate'] } },
      quiet: { node1: { noTimeService: true, units: ['ntpd'] }, node2: { noTimeService: true, virtualization: 'systemd-nspawn' } },
    },
    {
      code: 'KX_TIME_SERVICE_KEPT',
      severity: 'warning',
      on: ['node1'],
      fires: { spec: 'system: {skipConfigureOS: true, ntpServers: [ntp.example.com]}', node1: { noTimeService: true } },
      quiet: { spec: ntp, node1: { noTimeService: true } },
    },
    {
      code: 'KX_HOSTS_CONFLICT',
      severity: 'error',
      on: ['node1', 'node2'],
      fires: { node1: { files: hosts('127.0.1.1 node2') }, node2: { files: hosts('192.0.2.77 web node3 # old') } },
      says: 'calls 192.0.2.77 node3, which is 192.0.2.3',
      quiet: {
        node1: { files: hosts('127.0.1.1 node1\n192.0.2.2 node2\n#192.0.2.77 node3') },
        node2: { files: hosts('# BEGIN KubeXM Managed Block\n192.0.2.77 node3\n# END KubeXM Managed Block') },
      },
    },
    {
      code: 'KX_LOCALHOST',
      severity: 'warning',
      on: ['node1'],
      fires: { node1: { files: { '/etc/hosts': '192.0.2.1 node1\n' } } },
      quiet: { node1: { files: hosts('') } },
    },
  ])

  it('blames only the clock that is wrong', async () => {
    const { findings } = await preflightOf({ node1: { clockOffsetMs: 60_000 } })
    expect(findings.map(({ host, code }) => `${host} ${code}`)).toEqual(['node1 KX_CLOCK_APART'])
  })
})
