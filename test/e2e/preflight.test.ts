import { expect, test } from 'vitest'
import { type Breakage, breakages, breakHosts, brokenHosts, demandingConfig, moreBreakages, noSwapView } from '../support/broken-hosts.ts'
import { setInConfig } from '../support/config-file.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { type KubexmInLab, kubexmIn } from '../support/kubexm.ts'
import { describeLab, withLab } from '../support/with-lab.ts'

interface Found {
  readonly fit: boolean
  readonly hosts: readonly {
    readonly name: string
    readonly findings: readonly { readonly severity: string; readonly code: string; readonly problem: string; readonly fix: string }[]
    readonly unchecked: readonly unknown[]
  }[]
}

async function preflight(kubexm: KubexmInLab): Promise<Found> {
  const { code, stdout, stderr } = await kubexm('preflight', '-o', 'json')
  expect(stderr).toBe('')
  expect(code).toBe(12)
  return JSON.parse(stdout) as Found
}

/** Every row is found where it was broken, with the words and the fix it should have. */
function expectFound({ hosts }: Found, rows: readonly Breakage[]): void {
  expect(hosts.flatMap(({ unchecked }) => unchecked)).toEqual([])
  for (const { host, severity, code, seen, fix } of rows) {
    const found = hosts.find(({ name }) => name === host)?.findings.find((one) => one.code === code && seen.test(one.problem))
    expect.soft({ host, code, found, all: found === undefined ? hosts : [] }).toMatchObject({
      found: { severity, problem: expect.stringMatching(seen), fix: expect.stringMatching(fix) },
    })
  }
}

describeLab('preflight on real hosts', () => {
  test('finds everything that is wrong with three of them in one go, and changes nothing', () =>
    withLab({ hosts: brokenHosts }, (lab) =>
      inTemporaryDirectory(async (directory) => {
        const kubexm = await kubexmIn(lab, directory, '')
        for (const host of ['node1', 'node3']) await lab.onHost(host, noSwapView)
        await breakHosts(lab, breakages)
        const before = await snapshotHost(lab, 'node2')
        expectFound(await preflight(kubexm), breakages)
        expect(diffSnapshots(before, await snapshotHost(lab, 'node2'))).toEqual([])

        await setInConfig(kubexm.config, demandingConfig)
        await breakHosts(lab, moreBreakages)
        expectFound(await preflight(kubexm), moreBreakages)

        // An address that somebody has, and one that no host could have.
        const vip = { 'controlPlaneEndpoint.externalLoadBalancer': '', 'controlPlaneEndpoint.internalLoadbalancer': 'kube-vip' }
        for (const [address, code] of [
          ['10.77.0.1', 'KX_VIP_TAKEN'],
          ['10.77.9.9', 'KX_VIP_NETWORK'],
        ] as const) {
          await setInConfig(kubexm.config, { ...vip, 'controlPlaneEndpoint.lb_address': address })
          expectFound(await preflight(kubexm), [
            { host: 'node1', severity: 'error', code, seen: new RegExp(address.replaceAll('.', '\\.')), fix: /lb_address/, script: null },
          ])
        }
      }),
    ))
})
