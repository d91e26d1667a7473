import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ask, Cluster } from '../config/index.ts'
import {
  type Authority,
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
import { asKubexmError, fail } from '../error/index.ts'
import { EventBus, type Sink } from '../event/index.ts'
import { artifactsModule } from '../module/index.ts'
import { type PipelineName, pipelines } from '../pipeline/index.ts'
import { createPki, diskStore, memoryStore, overlayStore, type Pki } from '../pki/index.ts'
import { type ExecutionGraph, upTo } from '../plan/index.ts'
import { type Artifact, isPublished, loadCatalogue, publish } from '../resource/index.ts'
import { hostPaths } from '../runner/index.ts'
import { type ArtifactStore, planContext, type Registries, type WorkPaths, workPaths } from '../runtime/index.ts'
import type { Json } from '../util/json.ts'
import { minutes, systemClock } from '../util/time.ts'
import { neededArtifacts, offline, openArtifacts, type SourceChoice } from './artifact-store.ts'
import type { Fleet } from './fleet.ts'
import { rehearsalFleet } from './rehearsal-fleet.ts'
import { resultsOf } from './results.ts'
import { checkSavedPlan, writePlan } from './saved-plan.ts'
import { sshFleet } from './ssh-fleet.ts'
import { tolerance } from './tolerance.ts'

/** What is wanted of a cluster, and how. */
export interface Request {
  readonly cluster: Cluster
  readonly pipeline: PipelineName
  /** Where `.kubexm/<cluster>` is. */
  readonly directory: string
  /** On simulated hosts, with a work directory that is thrown away. */
  readonly rehearse: boolean
  /** Simulated hosts take as long as real ones would. */
  readonly realTime?: boolean
  readonly only: readonly string[]
  /** The module after which to stop; null: none. */
  readonly until: string | null
  /** How many hosts may fail without ending the run. */
  readonly maxFailed: number
  /** Where artifacts come from. */
  readonly sources: SourceChoice
  readonly ask: Ask
  readonly sinks: readonly Sink[]
  readonly cancel: AbortSignal
}

/** The job a run is for: it gives the run its name and its right to work. */
export interface RunningJob {
  readonly id: string
  readonly authority: Authority
  /** Somebody whose claim has ended may still be at work: every host is told the new number before anything else. */
  readonly takesOver: boolean
  /** Told the plan before anything is changed. */
  readonly onPlan: (graph: ExecutionGraph) => Promise<void>
}

export interface RunRequest extends Request {
  readonly abandon: AbortSignal
  /** `if-begun`: continue what this very job has begun here, or begin it. */
  readonly resume: boolean | 'if-begun'
  readonly job?: RunningJob
  readonly rollbackOnFailure: boolean
  readonly purgeData: boolean
  /** Also put the cluster into the kubeconfig of whoever runs this. */
  readonly mergeKubeconfig?: boolean
  readonly parallel: number | null
  /** A plan saved before: the run is refused when it would not do the same. */
  readonly savedPlan: string | null
}

/** Plans an operation: hosts are asked for their facts, nothing is changed. */
export async function planOperation(request: Request): Promise<ExecutionGraph> {
  return inWorld(request, async ({ graph }) => graph)
}

/** Plans an operation and saves the plan for review; `runOperation` can be bound to it. */
export async function savePlan(request: Request, file: string): Promise<void> {
  await inWorld(request, ({ graph, hosts }) => writePlan(file, graph, hosts))
}

/** Looks what an operation would change, on every host; changes nothing. */
export async function dryRunOperation(request: RunRequest): Promise<DryRun & { readonly graph: ExecutionGraph } & Pick<Fleet, 'lost'>> {
  return inWorld(request, async (world) => {
    await using journal = await openJournal(join(world.scratch, 'dry-run.jsonl'), await loadSealingKey(join(world.scratch, 'key')))
    const options = optionsFor(request, world, journal, { id: 'dry-run', fence: 0 })
    // Certificates a run would issue are made up, so that what would be written to the hosts can be told.
    const pki = createPki({ cluster: world.cluster, store: overlayStore(diskStore(world.paths)) })
    return { ...(await dryRun(world.graph, { ...world, pki }, options)), graph: world.graph, lost: world.lost }
  })
}

/** Runs an operation from the plan to the report. One run at a time works on a cluster. */
export async function runOperation(request: RunRequest): Promise<Report> {
  return inWorld(request, async (world) => {
    await using lease = await takeLease(world.paths.lock, request.cluster.metadata.name, request.job?.authority)
    if (request.savedPlan !== null) await checkSavedPlan(request.savedPlan, world.graph, world.hosts)
    // A damaged bundle is found out now, not when half of the hosts are changed.
    if (fetchesArtifacts(world.graph)) await world.prove(request.cancel)
    const key = await loadSealingKey(join(world.paths.root, 'journal.key'))
    await using journal = await openJournal(world.paths.journal, key)
    const { id, resume } = runOf(journal, request)
    await request.job?.onPlan(world.graph)
    if (request.job?.takesOver === true) await raiseFence(world, lease.fence, request.cancel)
    const options = optionsFor(request, world, journal, { id, fence: lease.fence })
    const cancel = AbortSignal.any([request.cancel, lease.lost])
    // Who has lost the lease must not undo anything either.
    const abandon = AbortSignal.any([request.abandon, lease.lost])
    return await execute(world.graph, world, { ...options, resume, cancel, abandon })
  })
}

interface PlannedWorld extends Pick<Fleet, 'hosts' | 'lost' | 'runner'> {
  readonly cluster: Cluster
  readonly paths: WorkPaths
  readonly artifacts: readonly Artifact[]
  readonly store: ArtifactStore
  readonly pki: Pki
  readonly registries: Registries
  readonly prove: (signal: AbortSignal) => Promise<void>
  readonly graph: ExecutionGraph
  readonly bus: EventBus
  readonly scratch: string
}

/** Reaches the hosts and plans; whatever happens, connections are closed and sinks flushed afterwards. */
async function inWorld<T>(request: Request, use: (world: PlannedWorld) => Promise<T>): Promise<T> {
  const { only, ask, cancel, sources } = request
  const mayLose = tolerance(request.cluster, request.pipeline, request.maxFailed)
  const cluster = sources.bundle === undefined ? request.cluster : offline(request.cluster)
  const bus = new EventBus(request.sinks)
  const scratch = await mkdtemp(join(tmpdir(), 'kubexm-'))
  const paths = request.rehearse
    ? workPaths(scratch, cluster.metadata.name)
    : workPaths(request.directory, cluster.metadata.name, process.env)
  const onSecret = (value: string): void => bus.redactor.add(value)
  try {
    const catalogue = await loadCatalogue(sources.catalogue)
    await using kept = await openArtifacts(cluster, sources, catalogue, paths)
    await using fleet = request.rehearse
      ? await rehearsalFleet(cluster, { only, mayLose, latency: request.realTime === true })
      : {
          ...(await sshFleet(cluster, { paths, signal: cancel, only, mayLose, ask, onSecret })),
          store: kept.store,
          registries: { has: isPublished, publish },
        }
    const artifacts = [...neededArtifacts(cluster, fleet.hosts, catalogue), ...kept.packageFiles(fleet.hosts)]
    kept.demand(artifacts)
    const { hosts, lost, runner, store, registries } = fleet
    const whole = pipelines[request.pipeline].plan(planContext(cluster, hosts, paths, artifacts))
    // Artifacts are fetched beforehand for all that follows; where little follows, each step gets its own.
    const graph = request.until === null ? whole : upTo(whole, request.until, [artifactsModule.name])
    const pki = createPki({ cluster, store: request.rehearse ? memoryStore() : diskStore(paths) })
    return await use({ cluster, hosts, lost, runner, paths, artifacts, store, pki, registries, prove: kept.prove, graph, bus, scratch })
  } catch (thrown) {
    throw bus.redactor.error(asKubexmError(thrown))
  } finally {
    await bus.flush()
    await rm(scratch, { recursive: true, force: true })
  }
}

const fetchesArtifacts = ({ nodes }: ExecutionGraph): boolean => nodes.some(({ module }) => module === artifactsModule.name)

function optionsFor(
  request: RunRequest,
  world: PlannedWorld,
  journal: Journal,
  run: { readonly id: string; readonly fence: number },
): ExecuteOptions {
  const { bus, lost } = world
  const { skipChecks } = request.cluster.spec.preflight
  return {
    run: { ...run, purgeData: request.purgeData, mergeKubeconfig: request.mergeKubeconfig === true, skipChecks },
    journal,
    emit: (event) => bus.emit(event),
    limits: { ...defaultLimits, ...(request.parallel === null ? {} : { total: request.parallel }) },
    clock: systemClock,
    cancel: request.cancel,
    abandon: request.abandon,
    resume: false,
    rollbackOnFailure: request.rollbackOnFailure,
    lost,
    results: (report) => resultsOf(request.pipeline, { ...world, rehearsed: request.rehearse }, report),
    mayLose: tolerance(request.cluster, request.pipeline, request.maxFailed),
    grace: minutes(2),
    ask: request.ask,
    onSecret: (value: Json) => bus.redactor.add(typeof value === 'string' ? value : JSON.stringify(value)),
  }
}

/** The name of the run, and whether it goes on where the journal ends. */
function runOf(journal: Journal, request: RunRequest): { readonly id: string; readonly resume: boolean } {
  const { job, resume } = request
  if (resume === true) return { id: resumedRun(journal, request), resume: true }
  const { record } = journal
  const begun = resume === 'if-begun' && record !== null && record.run === job?.id && record.pipeline === request.pipeline
  return { id: job?.id ?? randomUUID(), resume: begun }
}

/** From now on no host takes a change from whoever had the lease before, though it may not know yet that it lost it. */
async function raiseFence({ hosts, runner, graph }: PlannedWorld, fence: number, signal: AbortSignal): Promise<void> {
  await Promise.all(
    hosts.map(async ({ name }) => {
      const on = runner(name).bind({ signal, note: { fence } })
      // A host that was cleaned already must stay clean.
      if (graph.pipeline === 'delete-cluster' && (await on.files.list(hostPaths.root)).length === 0) return
      await on.files.remove(`${hostPaths.fence}.new`)
    }),
  )
}

function resumedRun({ record }: Journal, { pipeline, cluster }: Request): string {
  if (record === null || record.pipeline !== pipeline || record.ended === 'success') {
    throw fail('KX_NOTHING_TO_RESUME', { pipeline, cluster: cluster.metadata.name })
  }
  return record.run
}
