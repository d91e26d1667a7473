import { fail } from '../error/index.ts'
import { hostPaths, type Output, type Runner, type Scope } from '../runner/index.ts'
import type { Clock, Millis } from '../util/time.ts'
import { type AsError, commandError, fileError } from './as-error.ts'
import { freshState } from './base-state.ts'
import { bootHost, retryFailed } from './boot.ts'
import type { SimulatedCluster } from './cluster.ts'
import { Content } from './content.ts'
import { Faults, type Mutation } from './faults.ts'
import { appendText, makeDirectory, readText, writeFile } from './files.ts'
import type { Binding, HostAccess } from './host-access.ts'
import { type Call, describeMachine, type HostOptions } from './host-options.ts'
import { diskFiles, type LocalFiles } from './local-files.ts'
import { ProgramTable } from './program.ts'
import { standardPrograms } from './programs/index.ts'
import { Refusal } from './refusal.ts'
import { SimulatedRunner } from './runner.ts'
import { runShell } from './shell.ts'
import type { Snapshot } from './snapshot.ts'
import type { HostState } from './state.ts'
import { entryAt } from './tree.ts'

const sharedDisk = diskFiles()
/** The time of a host without a clock: fixed, so that nothing depends on when it is simulated. */
const epoch = Date.UTC(2026, 0, 1)

/** A host in memory that refuses what a real one refuses. */
export class SimulatedHost implements HostAccess {
  readonly name: string
  readonly faults: Faults
  readonly programs: ProgramTable
  readonly localFiles: LocalFiles
  /** Every change that was asked for, in order, refused ones included. */
  readonly mutations: Mutation[] = []
  readonly #clock: Clock | null
  readonly #latency: ((call: Call) => Millis) | null
  readonly #cluster: SimulatedCluster | null
  #state: HostState
  #power = true
  #network = true
  #bootedAt: Millis

  constructor(options: HostOptions = {}) {
    const machine = describeMachine(options)
    this.name = machine.name
    this.faults = options.faults ?? new Faults()
    this.programs = options.programs ?? new ProgramTable(standardPrograms)
    this.localFiles = options.localFiles ?? sharedDisk
    this.#clock = options.clock ?? null
    this.#latency = options.latency ?? null
    this.#cluster = options.cluster ?? null
    const fresh = freshState(machine)
    this.#state = { ...fresh, internet: options.internet ?? true, processes: options.processes ?? [] }
    this.#bootedAt = this.#now()
  }

  /** All that is so on the host now. */
  get state(): HostState {
    return this.#state
  }

  /** Changes the host from outside, as an administrator or an accident would: no note, no fault, no mutation. */
  meddle(change: (state: HostState) => HostState): void {
    this.#state = change({ ...this.#state, now: this.#now() })
  }

  runner(scope: Scope = { signal: new AbortController().signal }): Runner {
    return new SimulatedRunner(this, { scope, noted: false })
  }

  snapshot(): Snapshot {
    return { host: this.name, state: this.#state }
  }

  get reachable(): boolean {
    return this.#power && this.#network
  }

  get uptimeSeconds(): number {
    return Math.floor((this.#now() - this.#bootedAt) / 1000)
  }

  /** Everything that runs ends; what is on disk stays. */
  powerOff(): void {
    this.#power = false
  }

  /** Boots: what files say is so, and nothing else. */
  powerOn(): void {
    if (this.#power) return
    this.#power = true
    this.#bootedAt = this.#now()
    this.#state = bootHost({ ...this.#state, now: this.#now() })
  }

  reboot(): void {
    this.powerOff()
    this.powerOn()
  }

  /** Lets a while pass: failed units that restart by themselves are tried again. Says whether that changed anything. */
  settle(): boolean {
    if (!this.#power) return false
    const next = retryFailed(this.#state)
    const changed = next !== this.#state
    this.#state = next
    return changed
  }

  /** Every call fails as with a lost connection until it is restored; the host itself goes on. */
  cutNetwork(): void {
    this.#network = false
  }

  restoreNetwork(): void {
    this.#network = true
  }

  /** Cuts or restores the way to package repositories and registries; calls still arrive. */
  setInternet(reachable: boolean): void {
    this.#state = { ...this.#state, internet: reachable }
  }

  /** Asks without changing. */
  async look<T>(call: Call, { scope }: Binding, answer: (state: HostState) => T): Promise<T> {
    await this.#arrive(call, scope)
    return answer(this.#state)
  }

  /** Makes a change, with all that goes with one: fence, ledger line, faults, the list of mutations. */
  async change(call: Call, binding: Binding, asError: AsError, make: (state: HostState) => HostState): Promise<void> {
    await this.#arrive(call, binding.scope)
    this.#commit(call, binding, asError, make)
  }

  /** Runs a command line. It counts as a change when it changes something, or when it was called as a part of one. */
  async command(line: string, binding: Binding, stdin: string): Promise<Output> {
    const call = { what: 'run', target: line, bytes: stdin.length }
    await this.#arrive(call, binding.scope)
    // As a part of a change it counts whatever it does, so it need not be tried first.
    const trial = binding.scope.note === undefined ? this.peek(line, stdin) : null
    if (trial?.changes === false) return trial.output
    let output = trial?.output ?? null
    this.#commit(call, binding, commandError(line), (state) => {
      // A note may have changed the host in between, so the command runs on what is there now.
      const ran = runShell(state, line, this.programs, stdin)
      output = ran.output
      return ran.state
    })
    // One that got lost did nothing, but said what it would have.
    return output ?? this.peek(line, stdin).output
  }

  /** What a command line would print and whether it would change anything; nothing is kept. */
  peek(line: string, stdin = ''): { readonly output: Output; readonly changes: boolean } {
    const before = this.#cluster?.state
    const { output, state } = runShell(this.#state, line, this.programs, stdin)
    const changes = state !== this.#state || this.#cluster?.state !== before
    if (this.#cluster !== null && before !== undefined) this.#cluster.state = before
    return { output, changes }
  }

  /** A call reaches the host, or does not: after its latency, unless aborted, cut off, or asked for by the dead. */
  async #arrive(call: Call, { signal }: Scope): Promise<void> {
    this.#mustReach(signal)
    const takes = this.#latency?.(call) ?? 0
    if (this.#clock === null || takes <= 0) return
    await this.#clock.sleep(takes, signal)
    this.#mustReach(signal)
  }

  #mustReach(signal: AbortSignal): void {
    this.faults.throwIfCrashed()
    signal.throwIfAborted()
    const why = this.#power ? 'the network is cut' : 'the machine is off'
    if (!this.reachable) throw fail('KX_CONNECTION_LOST', { address: this.#state.machine.address, why }, { where: { host: this.name } })
  }

  #commit(call: Call, binding: Binding, asError: AsError, make: (state: HostState) => HostState): void {
    const mutation = { what: call.what, target: call.target }
    this.mutations.push(mutation)
    const fault = this.faults.next()
    const strike = (): never => {
      if (fault === null) throw new Error('no fault to strike with')
      return this.faults.strike(fault, mutation, () => asError(new Refusal(`injected fault at ${call.what} ${call.target}`), this.name))
    }
    if (fault?.point === 'before') strike()
    if (fault?.point === 'lost') return
    this.#leaveNote(binding)
    if (fault?.point === 'noted') strike()
    const cluster = this.#cluster?.state
    try {
      this.#state = make({ ...this.#state, now: this.#now() })
    } catch (thrown) {
      if (!(thrown instanceof Refusal)) throw thrown
      if (thrown.left !== null) this.#state = thrown.left
      else if (this.#cluster !== null && cluster !== undefined) this.#cluster.state = cluster
      throw asError(thrown, this.name)
    }
    if (fault?.point === 'after') strike()
  }

  /** Fence and ledger line, before the change: a host that has seen a newer run refuses, and what is about to be made is written down. */
  #leaveNote(binding: Binding): void {
    const { note } = binding.scope
    if (note === undefined) return
    try {
      const fenced = this.#raiseFence({ ...this.#state, now: this.#now() }, note.fence)
      const line = binding.noted ? undefined : note.ledgerLine
      this.#state =
        line === undefined ? fenced : appendText(mendLedger(ensureRoot(fenced)), hostPaths.ledger, `${line.replace(/\n$/, '')}\n`)
      binding.noted = true
    } catch (thrown) {
      throw thrown instanceof Refusal ? fileError('writing', hostPaths.ledger)(thrown, this.name) : thrown
    }
  }

  #raiseFence(state: HostState, own: number | undefined): HostState {
    if (own === undefined) return state
    const newer = Number((readText(state, hostPaths.fence) ?? '0').trim())
    if (newer > own) throw fail('KX_FENCED', { newer, own }, { where: { host: this.name } })
    return newer === own ? state : writeFile(ensureRoot(state), hostPaths.fence, new Content(`${own}\n`), { mode: '0600' })
  }

  #now(): Millis {
    return (this.#clock?.now() ?? epoch) + this.#state.machine.clockOffsetMs
  }
}

/** Only root may look into what kubexm keeps. */
const ensureRoot = (state: HostState): HostState =>
  entryAt(state.root, hostPaths.root) === null ? makeDirectory(state, hostPaths.root, { mode: '0700' }) : state

/** A last line without an end was being written when the power failed: its change never began. */
function mendLedger(state: HostState): HostState {
  const text = readText(state, hostPaths.ledger)
  if (text === null || text === '' || text.endsWith('\n')) return state
  return writeFile(state, hostPaths.ledger, new Content(text.slice(0, text.lastIndexOf('\n') + 1)), { mode: '0600' })
}
