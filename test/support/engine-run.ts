import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../../src/config/index.ts'
import { type ExecuteOptions, execute, openJournal, type Report, sealingKey, type World } from '../../src/engine/index.ts'
import type { RunEvent } from '../../src/event/index.ts'
import { createPki, memoryStore } from '../../src/pki/index.ts'
import { type ExecutionGraph, fragmentOf, type StepNode, seal } from '../../src/plan/index.ts'
import { type Host, workPaths } from '../../src/runtime/index.ts'
import type { AnyStep } from '../../src/step/index.ts'
import { hashOf } from '../../src/util/hash.ts'
import { inertRunner } from './inert-runner.ts'
import { plainOptions } from './run-options.ts'
import { VirtualClock } from './virtual-clock.ts'

export const testKey = sealingKey(Buffer.alloc(32, 7))

/** A node of a graph written by hand. */
export const nodeOf = (step: AnyStep, at: { id: string; needs?: readonly string[]; host?: string; task?: string }): StepNode => ({
  kind: 'step',
  id: at.id,
  needs: at.needs ?? [],
  mode: 'apply',
  host: at.host ?? 'h1',
  step,
  title: step.title(null as never),
  input: null,
  inputHash: hashOf(null),
  timeout: step.timeout,
  module: 'm',
  task: at.task ?? 't',
})

export const graphOf = (...nodes: readonly StepNode[]): ExecutionGraph => seal('test', fragmentOf(nodes))

/** Journals are synced thousands of times in these tests: in memory that costs nothing. */
const memory = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** A directory for one test, gone afterwards. */
export async function inTemporaryDirectory<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(memory, 'kubexm-test-'))
  try {
    return await use(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

interface Tried {
  readonly report: Report
  readonly events: readonly RunEvent[]
}

/** Runs a graph in virtual time, with a real journal, on machines that do nothing. */
export async function runGraph(
  graph: ExecutionGraph,
  directory: string,
  changed: Partial<ExecuteOptions> & { world?: World } = {},
): Promise<Tried> {
  const clock = (changed.clock as VirtualClock | undefined) ?? new VirtualClock()
  const events: RunEvent[] = []
  const journal = changed.journal ?? (await openJournal(join(directory, 'state.jsonl'), testKey))
  const hosts = [...new Set(graph.nodes.flatMap((node) => (node.kind === 'step' ? [node.host] : [])))]
  const world = changed.world ?? inertWorld(hosts, directory)
  const options: ExecuteOptions = { ...plainOptions(journal, clock, (event) => events.push(event)), grace: 60_000, ...changed }
  const report = await clock.run(execute(graph, world, options))
  if (changed.journal === undefined) await journal[Symbol.asyncDispose]()
  return { report, events }
}

export const inertWorld = (hosts: readonly string[], directory: string): World => ({
  cluster: {} as Cluster,
  hosts: hosts.map((name) => ({ name }) as Host),
  paths: workPaths(directory, 'test'),
  artifacts: [],
  store: { find: async () => null, ensure: () => Promise.reject(new Error('nothing is fetched here')) },
  pki: createPki({ cluster: {} as Cluster, store: memoryStore() }),
  registries: { has: async () => false, publish: () => Promise.reject(new Error('nothing is pushed here')) },
  runner: inertRunner,
})
