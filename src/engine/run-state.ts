import { fail, type KubexmError } from '../error/index.ts'
import type { Finding, NodeState, RunEvent } from '../event/index.ts'
import type { ExecutionGraph, Node, NodeId, StepNode } from '../plan/index.ts'
import { type Host, slotAddress } from '../runtime/index.ts'
import type { ChangeLimits, Receipt } from '../step/index.ts'
import type { Json } from '../util/json.ts'
import { semaphore } from '../util/semaphore.ts'
import type { Millis } from '../util/time.ts'
import type { HostName, Where } from '../util/where.ts'
import type { Deadline } from './deadline.ts'
import { addReceipt, type NodeReceipts } from './journal.ts'
import { NamedLocks } from './limits.ts'
import type { ExecuteOptions, HostFinding, Result, World } from './types.ts'

/** `RunEvent` without what is the same for a whole run. */
type Told<T> = T extends RunEvent ? Omit<T, keyof Where | 'at'> : never

/** Everything one run knows while it runs. */
export class RunState {
  readonly graph: ExecutionGraph
  readonly world: World
  readonly options: ExecuteOptions
  readonly states = new Map<NodeId, NodeState>()
  readonly errors: KubexmError[] = []
  readonly findings: HostFinding[] = []
  readonly slots: Map<string, Json>
  readonly receipts: Map<NodeId, NodeReceipts>
  /** How long each step took. */
  readonly times = new Map<NodeId, Millis>()
  /** Hosts the run goes on without. */
  readonly lost = new Set<HostName>()
  #starts: number
  readonly #hosts: ReadonlyMap<HostName, Host>
  readonly #transfers: ReturnType<typeof semaphore>
  readonly #locks = new NamedLocks()

  constructor(graph: ExecutionGraph, world: World, options: ExecuteOptions) {
    this.graph = graph
    this.world = world
    this.options = options
    const past = options.resume ? options.journal.record : null
    this.slots = new Map(past?.slots ?? [])
    this.receipts = new Map(past?.receipts ?? [])
    this.#starts = [...this.receipts.values()].reduce((most, { order }) => Math.max(most, order), 0)
    this.#hosts = new Map(world.hosts.map((host) => [host.name, host]))
    this.#transfers = semaphore(options.limits.transfers)
    for (const host of options.lost?.keys() ?? []) this.lost.add(host)
  }

  /** Gives up hosts for the rest of the run, where that is allowed; else nothing is changed. */
  giveUp(errors: ReadonlyMap<HostName, KubexmError>): boolean {
    const lost = new Set([...this.lost, ...errors.keys()])
    if (errors.size === 0 || lost.has('local') || this.options.mayLose?.(lost) !== true) return false
    for (const [host, error] of errors) {
      this.lost.add(host)
      this.tellLost(host, error)
    }
    return true
  }

  /** A host that is lost is an error of the run, whatever becomes of the rest. */
  tellLost(host: HostName, error: KubexmError): void {
    this.errors.push(error)
    const where = { pipelineId: this.options.run.id, pipeline: this.graph.pipeline, host }
    this.options.emit({ ...where, at: new Date(this.options.clock.now()), type: 'host.lost', error })
  }

  /** Whether a step would read what nobody could write. */
  lacksInput(node: StepNode): boolean {
    return this.lost.size > 0 && node.mode === 'apply' && node.step.reads.some((slot) => !this.slots.has(slotAddress(slot, node)))
  }

  /** The host of a node; steps on this machine have none, and a look at theirs is a mistake. */
  host(name: HostName): Host {
    const known = this.#hosts.get(name)
    if (known !== undefined) return known
    if (name !== 'local') throw fail('KX_BUG', { what: `the plan names ${name}, which is not among the hosts of the run` })
    return new Proxy({} as Host, {
      get: (_, property) => {
        if (property === 'name') return 'local'
        throw fail('KX_BUG', { what: `a step on this machine asks for ${String(property)} of its host` })
      },
    })
  }

  whereOf(node: Node): Where {
    return {
      pipelineId: this.options.run.id,
      pipeline: this.graph.pipeline,
      module: node.module,
      task: node.task,
      ...(node.kind === 'step' ? { step: node.step.name, host: node.host } : {}),
    }
  }

  emit(node: Node | null, told: Told<RunEvent>): void {
    const where = node === null ? { pipelineId: this.options.run.id, pipeline: this.graph.pipeline } : this.whereOf(node)
    this.options.emit({ ...where, at: new Date(this.options.clock.now()), ...told } as RunEvent)
  }

  /** Tells a line of the summary. */
  tellResult(node: Node | null, { label, text, host }: Result): void {
    this.emit(node, { type: 'result', label, text, ...(host === undefined ? {} : { host }) } as Told<RunEvent>)
  }

  report(node: StepNode, finding: Finding): void {
    if (this.options.run.skipChecks.includes(finding.code)) {
      this.emit(node, { type: 'note', level: 'info', message: `${finding.code} is accepted: ${finding.problem}` })
      return
    }
    this.findings.push({ ...finding, host: node.host, step: node.step.name, module: node.module, task: node.task })
    this.emit(node, { type: 'finding', finding })
  }

  /** A number for a node that starts now, higher than all before. */
  nextStart(): number {
    return ++this.#starts
  }

  async addReceipt(node: StepNode, order: number, receipt: Receipt): Promise<void> {
    await this.options.journal.receipt(node.id, order, receipt)
    addReceipt(this.receipts, node.id, order, receipt)
  }

  /** Lets the act happen when its lock and a transfer place are free; waiting does not count against the deadline. */
  limited(host: HostName, limits: ChangeLimits, deadline: Deadline, act: () => Promise<void>): Promise<void> {
    const { lock, transfer } = limits
    const locked = lock === undefined ? act : queued(deadline, (go) => this.#locks.hold(`${host} ${lock}`, go), act)
    return transfer === true ? queued(deadline, (go) => this.#transfers(go), locked)() : locked()
  }
}

/** The time from asking for a place to getting it is not the step's own. */
function queued(deadline: Deadline, hold: (go: () => Promise<void>) => Promise<void>, act: () => Promise<void>): () => Promise<void> {
  return () =>
    new Promise<void>((resolve, reject) => {
      let entered: () => void = () => {}
      const waiting = deadline.uncounted(() => new Promise<void>((enter) => (entered = enter)))
      hold(async () => {
        entered()
        await waiting
        await act()
      }).then(resolve, reject)
    })
}
