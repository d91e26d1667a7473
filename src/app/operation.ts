import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask, Cluster } from '../config/index.ts'
import {
  type DryRun,
  defaultLimits,
  dryRun,
  type ExecuteOptions,
  execute,
  type Journal,
  loadSealingKey,
  openJournal,
  type Report,
  takeLease,
} from '../engine/index.ts'
import { fail } from '../error/index.ts'
import { EventBus, type Sink } from '../event/index.ts'
import { type PipelineName, pipelines } from '../pipeline/index.ts'
import { type ExecutionGraph, toJson } from '../plan/index.ts'
import type { Artifact } from '../resource/index.ts'
import { type ArtifactStore, planContext, type WorkPaths, workPaths } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import { minutes, systemClock } from '../util/time.ts'
import { cachedArtifacts, neededArtifacts } from './artifact-store.ts'
import type { Fleet } from './fleet.ts'
import { rehearsalFleet } from './rehearsal-fleet.ts'
import { sshFleet } from './ssh-fleet.ts'

/** What is wanted of a cluster, and how. */
export interface Request {
  readonly cluster: Cluster
  readonly pipeline: PipelineName
  /** Where `.kubexm/<cluster>` is. */
  readonly directory: string
  /** On simulated hosts, with a work directory that is thrown away. */
  readonly rehearse: boolean
  readonly only: readonly string[]
  readonly ask: Ask
  readonly sinks: readonly Sink[]
  readonly cancel: AbortSignal
}

export interface RunRequest extends Request {
  readonly abandon: AbortSignal
  readonly resume: boolean
  readonly rollbackOnFailure: boolean
  readonly purgeData: boolean
  readonly parallel: number | null
  /** A plan saved before: the run is refused when it would not do the same. */
  readonly savedPlan: string | null
}

/** Plans an operation: hosts are asked for their facts, nothing is changed. */
export async function planOperation(request: Request): Promise<ExecutionGraph> {
  return inWorld(request, async ({ graph }) => graph)
}

/** Saves a plan for review; `runOperation` can be bound to it. */
export async function savePlan(graph: ExecutionGraph, file: string): Promise<void> {
  await writeFile(file, `${JSON.stringify(toJson(graph), null, 2)}\n`)
}

/** Looks what an operation would change, on every host; changes nothing. */
export async function dryRunOperation(request: RunRequest): Promise<DryRun & { readonly graph: ExecutionGraph }> {
  return inWorld(request, async (world) => {
    await using journal = await openJournal(join(world.scratch, 'dry-run.jsonl'), await loadSealingKey(join(world.scratch, 'key')))
    const options = optionsFor(request, world, journal, { id: 'dry-run', fence: 0 })
    return { ...(await dryRun(world.graph, { cluster: request.cluster, ...world }, options)), graph: world.graph }
  })
}

/** Runs an operation from the plan to the report. One run at a time works on a cluster. */
export async function runOperation(request: RunRequest): Promise<Report> {
  return inWorld(request, async (world) => {
    await using lease = await takeLease(world.paths.lock, request.cluster.metadata.name)
    if (request.savedPlan !== null) await checkSavedPlan(request.savedPlan, world.graph)
    const key = await loadSealingKey(join(world.paths.root, 'journal.key'))
    await using journal = await openJournal(world.paths.journal, key)
    const id = request.resume ? resumedRun(journal, request) : randomUUID()
    const options = optionsFor(request, world, journal, { id, fence: lease.fence })
    const cancel = AbortSignal.any([request.cancel, lease.lost])
    return await execute(world.graph, { cluster: request.cluster, ...world }, { ...options, cancel })
  })
}

interface PlannedWorld extends Pick<Fleet, 'hosts' | 'runner'> {
  readonly paths: WorkPaths
  readonly artifacts: readonly Artifact[]
  readonly store: ArtifactStore
  readonly graph: ExecutionGraph
  readonly bus: EventBus
  readonly scratch: string
}

/** Reaches the hosts and plans; whatever happens, connections are closed and sinks flushed afterwards. */
async function inWorld<T>(request: Request, use: (world: PlannedWorld) => Promise<T>): Promise<T> {
  const { cluster, only, ask, cancel } = request
  const bus = new EventBus(request.sinks)
  const scratch = await mkdtemp(join(tmpdir(), 'kubexm-'))
  const paths = workPaths(request.rehearse ? scratch : request.directory, cluster.metadata.name)
  const onSecret = (value: string): void => bus.redactor.add(value)
  try {
    await using cached = await cachedArtifacts()
    await using fleet = request.rehearse
      ? await rehearsalFleet(cluster, { only, latency: false })
      : { ...(await sshFleet(cluster, { paths, signal: cancel, only, ask, onSecret })), store: cached.store }
    const artifacts = await neededArtifacts(cluster, fleet.hosts)
    const { store } = fleet
    const graph = pipelines[request.pipeline].plan(planContext(cluster, fleet.hosts, paths, artifacts))
    return await use({ hosts: fleet.hosts, runner: fleet.runner, paths, artifacts, store, graph, bus, scratch })
  } finally {
    await bus.flush()
    await rm(scratch, { recursive: true, force: true })
  }
}

function optionsFor(
  request: RunRequest,
  { bus }: PlannedWorld,
  journal: Journal,
  run: { readonly id: string; readonly fence: number },
): ExecuteOptions {
  const { skipChecks } = request.cluster.spec.preflight
  return {
    run: { ...run, purgeData: request.purgeData, skipChecks },
    journal,
    emit: (event) => bus.emit(event),
    limits: { ...defaultLimits, ...(request.parallel === null ? {} : { total: request.parallel }) },
    clock: systemClock,
    cancel: request.cancel,
    abandon: request.abandon,
    resume: request.resume,
    rollbackOnFailure: request.rollbackOnFailure,
    grace: minutes(2),
    ask: request.ask,
    onSecret: (value: Json) => bus.redactor.add(typeof value === 'string' ? value : JSON.stringify(value)),
  }
}

function resumedRun({ record }: Journal, { pipeline, cluster }: Request): string {
  if (record === null || record.pipeline !== pipeline || record.ended === 'success') {
    throw fail('KX_NOTHING_TO_RESUME', { pipeline, cluster: cluster.metadata.name })
  }
  return record.run
}

async function checkSavedPlan(file: string, graph: ExecutionGraph): Promise<void> {
  const saved = JSON.parse(await readFile(file, 'utf8')) as { readonly digest?: string; readonly pipeline?: string }
  if (saved.pipeline !== graph.pipeline)
    throw fail('KX_PLAN_MOVED', { file, what: `it is a plan for ${saved.pipeline ?? 'something else'}` })
  if (saved.digest !== graph.digest) {
    throw fail('KX_PLAN_MOVED', {
      file,
      what: `it has digest ${saved.digest?.slice(0, 12) ?? 'none'}, a plan made now has ${graph.digest.slice(0, 12)}`,
    })
  }
}
