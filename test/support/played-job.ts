import type { Jobs } from '../../src/app/jobs/index.ts'
import { appendEvents, type Claim, claimJob, endJob, type JobEnd, mostEventsAtOnce, saveGraph, standingOf } from '../../src/store/index.ts'
import type { Json } from '../../src/util/json.ts'
import { minutes } from '../../src/util/time.ts'
import type { EventJson, Graph, GraphNode } from '../../src/web/api/types.ts'

type Told = Omit<EventJson, 'at'> & { readonly at?: string }

/** A job whose worker is the test: what it tells, and when, is the test's to decide. */
export class PlayedJob {
  readonly #jobs: Jobs
  readonly #claim: Claim
  #next: number
  #now: number

  private constructor(jobs: Jobs, claim: Claim) {
    this.#jobs = jobs
    this.#claim = claim
    this.#next = claim.nextSeq
    this.#now = Date.now()
  }

  /** Takes a job that waits. */
  static async take(jobs: Jobs, id: string): Promise<PlayedJob> {
    const claim = await claimJob(jobs.database, { worker: 'stage/1', process: 'stage', home: jobs.home, lease: minutes(10), only: id })
    if (claim === null) throw new Error(`job ${id} does not wait`)
    return new PlayedJob(jobs, claim)
  }

  /** Keeps the plan and says that the run begins. */
  async begin(graph: Graph): Promise<void> {
    const nodes = graph.nodes.map(({ state: _, started_at: _started, ms: _ms, error: _error, ...node }) => node)
    const plan = { pipeline: graph.pipeline, digest: graph.digest ?? '', criticalPath: graph.critical_path, nodes }
    await saveGraph(this.#jobs.database, this.#claim, plan as unknown as Json)
    const hosts = [...new Set(nodes.flatMap(({ host }) => host ?? []))]
    await this.tell([{ type: 'pipeline.started', outline: { nodes: nodes.length, hosts } }])
  }

  /** Tells events, in order, as of now. */
  async tell(events: readonly Told[], currentStep: string | null = null): Promise<void> {
    const place = { pipelineId: this.#claim.job.id, pipeline: this.#claim.job.pipeline }
    const stored = events.map((event) => {
      const at = new Date(event.at ?? this.#now)
      return { seq: this.#next++, at, type: event.type, json: JSON.stringify({ ...event, ...place, at: at.toISOString() }) }
    })
    for (let from = 0; from < Math.max(1, stored.length); from += mostEventsAtOnce)
      await appendEvents(this.#jobs.database, this.#claim, stored.slice(from, from + mostEventsAtOnce), currentStep)
  }

  /** Lets time pass for what is told from now on. */
  wait(ms: number): void {
    this.#now += ms
  }

  /** Nodes begin, take their time and end. */
  async run(nodes: readonly GraphNode[], ms: number, more: Partial<Told> = {}): Promise<void> {
    await this.tell(nodes.map((node) => ({ type: 'step.started', ...placeOf(node) })))
    this.wait(ms)
    await this.tell(nodes.map((node) => ({ type: 'step.finished', outcome: 'succeeded', ms, ...placeOf(node), ...more })))
  }

  /** Whether somebody asked for the job to be cancelled. */
  async isToStop(): Promise<boolean> {
    return (await standingOf(this.#jobs.database, this.#claim)).cancel
  }

  /** Says how the run ended, and ends the job. */
  async end(outcome: 'success' | 'failed' | 'cancelled', errors: readonly Json[] = []): Promise<void> {
    await this.tell([{ type: 'pipeline.finished', outcome, ms: 1000, errors: errors as unknown as NonNullable<EventJson['errors']> }])
    const status = ({ success: 'Success', failed: 'Failed', cancelled: 'Cancelled' } as const)[outcome]
    const [error] = errors
    const end: JobEnd = error === undefined ? { status } : { status, error }
    await endJob(this.#jobs.database, this.#claim, end)
  }
}

/** Where a node is, as events say it. */
export const placeOf = ({ module, task, step, host, id, title }: GraphNode) => ({
  module,
  task,
  title,
  node: id,
  ...(step === null ? {} : { step }),
  ...(host === null ? {} : { host }),
})
