import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Cluster, type ClusterHost, hostsOf } from '../../src/config/index.ts'
import { type DryRun, dryRun, openJournal } from '../../src/engine/index.ts'
import type { Code } from '../../src/error/index.ts'
import type { Finding } from '../../src/event/index.ts'
import { preflight } from '../../src/pipeline/preflight.ts'
import type { Facts } from '../../src/runner/index.ts'
import { type Host, planContext, workPaths } from '../../src/runtime/index.ts'
import type { HostOptions } from '../../src/simulation/host-options.ts'
import { SimulatedFleet, SimulatedHost } from '../../src/simulation/index.ts'
import { ProgramTable } from '../../src/simulation/program.ts'
import { standardPrograms } from '../../src/simulation/programs/index.ts'
import type { Process } from '../../src/simulation/state.ts'
import { systemClock } from '../../src/util/time.ts'
import { smallCluster } from './clusters.ts'
import { inertWorld, inTemporaryDirectory, testKey } from './engine-run.ts'
import { plainOptions } from './run-options.ts'

/** A simulated machine and what is unusual about it. */
export interface Odd extends Omit<HostOptions, 'name' | 'address' | 'programs'> {
  /** Facts that are other than those of the simulated host. */
  readonly facts?: Partial<Facts>
  /** What the config says about it that is unusual. */
  readonly asked?: Partial<ClusterHost>
  /** Files on it by path; null takes one away. */
  readonly files?: Readonly<Record<string, string | null>>
  /** Units that are installed and run. */
  readonly units?: readonly string[]
  /** What single programs answer. */
  readonly says?: Readonly<Record<string, string>>
  /** The time service, which every other host of these tests runs, is not there. */
  readonly noTimeService?: true
  readonly changed?: (host: SimulatedHost) => void | Promise<void>
}

/** A cluster of a master (node1) and two workers, and what is unusual about each. */
export interface Situation {
  readonly spec?: string
  readonly node1?: Odd
  readonly node2?: Odd
  readonly node3?: Odd
  /** The machine kubexm runs on. */
  readonly local?: Odd
}

const unitText = '[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n'

/** A program that listens on a port. */
export const listener = (name: string, port: number, address = '0.0.0.0', protocol: 'tcp' | 'udp' = 'tcp'): Process => ({
  pid: 812,
  name,
  argv: [`/usr/sbin/${name}`],
  binary: null,
  user: 'root',
  listens: [{ protocol, address, port }],
})

/** A line of the ledger that says kubexm made this. */
export const ledgerOf = (kind: string, id: string): string =>
  `${JSON.stringify({ key: `run/${id}`, run: 'run', step: 's', kind, id, does: 'make it', before: null, at: '2026-01-01T00:00:00Z' })}\n`

interface Setting {
  readonly cluster: Cluster
  readonly fleet: SimulatedFleet
}

/** Everything preflight finds in a situation. */
export const preflightOf = (situation: Situation): Promise<DryRun & Setting> => inSituation(situation, dryRun)

/** Does something with the preflight of a situation: `dryRun`, as the command does, or `execute`, as the first part of a run. */
export async function inSituation<R extends object>(
  situation: Situation,
  act: (...args: Parameters<typeof dryRun>) => Promise<R>,
): Promise<R & Setting> {
  const { cluster, hosts: specs } = smallCluster(situation.spec)
  const { node1 = {}, node2 = {}, node3 = {} } = situation
  const odds: Readonly<Record<string, Odd>> = { node1, node2, node3 }
  const fleet = new SimulatedFleet({
    hosts: specs.map(({ name, address, internalAddresses }) => ({
      ...odds[name],
      name,
      address,
      otherAddresses: odds[name]?.otherAddresses ?? internalAddresses.filter((own) => own !== address),
      programs: programsOf(odds[name]),
    })),
  })
  const local = new SimulatedHost({ ...situation.local, name: 'local', cluster: fleet.cluster, programs: programsOf(situation.local) })
  for (const machine of fleet.hosts) await prepare(machine, odds[machine.name] ?? {})
  const hosts = await Promise.all(
    hostsOf(cluster).map(
      async (spec): Promise<Host> => ({
        ...spec,
        ...odds[spec.name]?.asked,
        facts: { ...(await fleet.runner(spec.name).facts()), ...odds[spec.name]?.facts },
      }),
    ),
  )
  return inTemporaryDirectory(async (directory) => {
    const paths = workPaths(directory, 'test')
    await using journal = await openJournal(join(directory, 'state.jsonl'), testKey)
    const _signal = new AbortController().signal
    const found = await act(
      preflight.plan(planContext(cluster, hosts, paths)),
      { ...inertWorld([], directory), cluster, hosts, paths, runner: (name) => (name === 'local' ? local.runner() : fleet.runner(name)) },
      {
        ...plainOptions(journal, systemClock, () => {}),
        run: { id: 'run-1', fence: 1, purgeData: false, skipChecks: cluster.spec.preflight.skipChecks },
      },
    )
    return { ...found, cluster, fleet }
  })
}

function programsOf(odd: Odd | undefined): ProgramTable {
  const table = new ProgramTable(standardPrograms)
  for (const [name, stdout] of Object.entries(odd?.says ?? {})) table.register(name, () => ({ code: 0, stdout, stderr: '' }))
  return table
}

async function prepare(machine: SimulatedHost, odd: Odd): Promise<void> {
  const on = machine.runner()
  for (const unit of [...(odd.noTimeService === true ? [] : ['chrony']), ...(odd.units ?? [])]) {
    await on.files.write(`/usr/lib/systemd/system/${unit}.service`, unitText, { mode: '0644' })
    await on.services.reloadUnits()
    await on.services.start(`${unit}.service`)
  }
  for (const [path, text] of Object.entries(odd.files ?? {})) {
    if (text === null) await on.files.remove(path)
    else await on.files.write(path, text, { mode: '0644' })
  }
  await odd.changed?.(machine)
  machine.mutations.length = 0
}

/** One check as a row: where it must speak, and a situation close to it where it must not. */
export interface Row {
  readonly code: Code
  readonly severity: Finding['severity']
  readonly on: readonly string[]
  readonly fires: Situation
  /** What the finding says, as far as it matters. */
  readonly says?: string
  readonly quiet: Situation
}

/** Tries rows in both directions. */
export function tryRows(rows: readonly Row[]): void {
  it.each(rows)('$code ($severity) fires', async ({ code, severity, on, fires, says }) => {
    const { findings, planned } = await preflightOf(fires)
    expect(planned).toEqual([])
    const found = findings.filter((finding) => finding.code === code)
    expect(found.map(({ host }) => host).sort()).toEqual([...on])
    for (const finding of found) {
      expect(finding.severity).toBe(severity)
      expect(finding.problem + finding.fix).not.toMatch(/[{}]|undefined|NaN/)
    }
    if (says !== undefined) expect(found.map(({ problem }) => problem).join('\n')).toContain(says)
  })

  it.each(rows)('$code ($severity) keeps quiet', async ({ code, quiet }) => {
    const { findings, planned } = await preflightOf(quiet)
    expect(planned).toEqual([])
    expect(findings.filter((finding) => finding.code === code)).toEqual([])
  })
}
