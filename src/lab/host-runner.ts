import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fail, KubexmError } from '../error/index.ts'
import { eventually } from '../util/eventually.ts'
import { lastLines } from '../util/last-lines.ts'
import { minutes } from '../util/time.ts'
import { makeCgroups, removeCgroups } from './cgroups.ts'
import { bootCommand, rebootExitCode } from './host-boot.ts'
import { prepareDisk } from './host-disk.ts'
import { connectHost, disconnectHost } from './network.ts'
import type { LabPaths } from './paths.ts'
import { leaderOf, listens } from './processes.ts'
import type { HostLife, HostRecord, LabRecord } from './types.ts'

/** What a host is part of. */
export interface HostSurroundings {
  readonly paths: LabPaths
  readonly modules: string | null
  lab(): LabRecord
}

const sshPort = 22
const bootPatience = minutes(2)

/** Looks after one host: boots it, boots it again when it reboots, and says how it is in a file. */
export class HostRunner {
  readonly #name: string
  readonly #in: HostSurroundings
  #life: HostLife = { state: 'off', boots: 0 }
  #nspawn: ChildProcess | null = null
  #powerCut = false
  #finished: Promise<void> | null = null

  constructor(name: string, surroundings: HostSurroundings) {
    this.#name = name
    this.#in = surroundings
  }

  get life(): HostLife {
    return this.#life
  }

  /** Turns the host on. Its further life is in {@link life}. */
  start(): void {
    if (this.#finished !== null) throw fail('KX_LAB_HOST_STATE', { host: this.#name, state: this.#life.state })
    this.#powerCut = false
    this.#finished = this.#live().finally(() => {
      this.#finished = null
    })
  }

  /** Pulls the plug. */
  async kill(): Promise<void> {
    this.#powerCut = true
    const nspawn = this.#nspawn?.pid
    // The host's pid 1 takes all its processes with it. Before there is one, what boots it is ended instead.
    if (nspawn !== undefined) process.kill(leaderOf(nspawn) ?? nspawn, 'SIGKILL')
    await this.#finished
  }

  /** Presses ctrl-alt-del: systemd stops everything in order and reboots. */
  reboot(): void {
    if (this.#life.state !== 'running' || this.#life.leader === undefined) {
      throw fail('KX_LAB_HOST_STATE', { host: this.#name, state: this.#life.state })
    }
    process.kill(this.#life.leader, 'SIGINT')
  }

  async #live(): Promise<void> {
    try {
      this.#tell({ state: 'preparing', boots: this.#life.boots })
      await prepareDisk(this.#in.paths, this.#in.lab(), this.#record())
      let code = rebootExitCode
      while (code === rebootExitCode && !this.#powerCut) {
        code = await this.#boot()
        await removeCgroups(this.#in.lab().name, this.#name)
      }
      await disconnectHost(this.#in.paths, this.#record())
      const died = !this.#powerCut && this.#life.state === 'booting'
      this.#tell(
        died ? this.#failure(`systemd-nspawn ended with ${code}: ${this.#consoleTail()}`) : { state: 'off', boots: this.#life.boots },
      )
    } catch (error) {
      const seen = error instanceof KubexmError && error.seen !== null ? `: ${error.seen}` : ''
      this.#tell(this.#failure(`${error instanceof Error ? error.message : String(error)}${seen}`))
    }
  }

  /** One run of the host, from power on to power off; gives the exit code of systemd-nspawn. */
  async #boot(): Promise<number> {
    const { paths, modules } = this.#in
    const [lab, host] = [this.#in.lab(), this.#record()]
    const boots = this.#life.boots + 1
    this.#tell({ state: 'booting', boots })
    await connectHost(paths, host)
    const cgroups = await makeCgroups(lab.name, host.name, host)
    const { argv, env } = bootCommand(paths, lab, host, cgroups, modules)
    const console = openSync(paths.host(host.name).console, 'a')
    const [program = '', ...args] = argv
    const nspawn = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', console, console] })
    closeSync(console)
    this.#nspawn = nspawn
    const exited = new AbortController()
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    nspawn.on('error', reject).on('exit', (code) => resolve(code ?? 137))
    if (this.#powerCut) nspawn.kill('SIGKILL')
    const watching = this.#watch(nspawn.pid ?? 0, boots, exited.signal)
    try {
      return await promise
    } finally {
      this.#nspawn = null
      exited.abort()
      await watching
    }
  }

  /** Says when the host is ready: sshd listens and users may log in. */
  async #watch(nspawn: number, boots: number, exited: AbortSignal): Promise<void> {
    const ready = async (): Promise<number | 'exited' | null> => {
      if (exited.aborted) return 'exited'
      const leader = leaderOf(nspawn)
      if (leader === null || !listens(leader, sshPort)) return null
      return existsSync(`/proc/${leader}/root/run/nologin`) ? null : leader
    }
    const leader = await eventually(ready, { every: 50, within: bootPatience })
    if (leader === 'exited') return
    if (leader === null) return this.#tell({ ...this.#failure(`no sshd within ${bootPatience / 1000} s: ${this.#consoleTail()}`), nspawn })
    this.#tell({ state: 'running', boots, nspawn, leader })
  }

  #record(): HostRecord {
    const found = this.#in.lab().hosts.find(({ name }) => name === this.#name)
    if (found === undefined) throw fail('KX_LAB_HOST_UNKNOWN', { name: this.#in.lab().name, host: this.#name })
    return found
  }

  #failure(why: string): HostLife {
    return { state: 'failed', boots: this.#life.boots, why }
  }

  #consoleTail(): string {
    const file = this.#in.paths.host(this.#name).console
    return existsSync(file) ? lastLines(readFileSync(file, 'utf8')) : 'nothing was printed'
  }

  // Written at once and in order: a reader never sees an older state after a newer one.
  #tell(life: HostLife): void {
    this.#life = life
    const file = this.#in.paths.life(this.#name)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(`${file}.new`, JSON.stringify(life))
    renameSync(`${file}.new`, file)
  }
}
