// Plans and walks a fleet that has nothing to do, and prints how long it took and how much memory, as JSON.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Cluster } from '../src/config/index.ts'
import { execute, openJournal, sealingKey } from '../src/engine/index.ts'
import { defineModule } from '../src/module/index.ts'
import { definePipeline } from '../src/pipeline/index.ts'
import { createPki, memoryStore } from '../src/pki/index.ts'
import { seq } from '../src/plan/index.ts'
import type { Runner } from '../src/runner/index.ts'
import { type Host, planContext, workPaths } from '../src/runtime/index.ts'
import { defineStep, satisfied } from '../src/step/index.ts'
import { defineTask } from '../src/task/index.ts'
import { systemClock } from '../src/util/time.ts'
import { plainOptions } from '../test/support/run-options.ts'

const [hostCount = 500, stepCount = 80] = process.argv.slice(2).map(Number)
const stepsPerTask = 8

const steps = Array.from({ length: stepCount }, (_, i) =>
  defineStep({
    name: `bench.step-${i}`,
    title: `Step ${i}`,
    timeout: 60_000,
    precheck: async () => satisfied,
    run: async () => {},
    rollback: { irreversible: 'a benchmark' },
  }),
)
const tasks = Array.from({ length: stepCount / stepsPerTask }, (_, i) =>
  defineTask({
    name: `bench-${i}`,
    description: '',
    plan: (t) => t.on(t.hosts(), ...steps.slice(i * stepsPerTask, (i + 1) * stepsPerTask)),
  }),
)
const pipeline = definePipeline({
  name: 'bench',
  plan: (module) => module(defineModule({ name: 'bench', create: (task) => seq(...tasks.map((one) => task(one))) }), 'create'),
})

const idle = { host: '', bind: () => idle } as unknown as Runner
const hosts = Array.from({ length: hostCount }, (_, i) => ({ name: `node${i}`, roles: ['worker'] }) as unknown as Host)
const directory = await mkdtemp(join(tmpdir(), 'kubexm-bench-'))
const paths = workPaths(directory, 'bench')

const planning = performance.now()
const graph = pipeline.plan(planContext({} as Cluster, hosts, paths))
const planned = performance.now() - planning

const walking = performance.now()
const journal = await openJournal(paths.journal, sealingKey(Buffer.alloc(32)))
let events = 0
const report = await execute(
  graph,
  {
    cluster: {} as Cluster,
    hosts,
    paths,
    artifacts: [],
    store: { find: async () => null, ensure: () => Promise.reject(new Error('nothing is fetched')) },
    registries: { has: async () => false, publish: () => Promise.reject(new Error('nothing is pushed')) },
    pki: createPki({ cluster: {} as Cluster, store: memoryStore() }),
    runner: () => idle,
  },
  plainOptions(journal, systemClock, () => void events++),
)
await journal[Symbol.asyncDispose]()
const walked = performance.now() - walking
await rm(directory, { recursive: true })

const result = {
  hosts: hostCount,
  nodes: graph.nodes.length,
  plannedMs: planned,
  walkedMs: walked,
  events,
  outcome: report.outcome,
  maxRssMiB: process.resourceUsage().maxRSS / 1024,
}
process.stdout.write(`${JSON.stringify(result)}\n`)
