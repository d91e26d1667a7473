import { mkdir, rm } from 'node:fs/promises'
import { fail } from '../error/index.ts'
import { enterCgroups, makeCgroups } from './cgroups.ts'
import { type ControlReply, type ControlRequest, serveControl } from './control.ts'
import { HostRunner } from './host-runner.ts'
import { ensureModulesDirectory } from './kernel-modules.ts'
import { makeKeys, writeAccessFiles } from './keys.ts'
import { makeSwitch, setCut } from './network.ts'
import type { LabPaths } from './paths.ts'
import { thisProcess } from './processes.ts'
import { requireHost, requireLab, saveLab, writeJson } from './record.ts'
import { networksOf, withHost } from './shape.ts'
import type { HostRecord, LabRecord } from './types.ts'

/** Runs a lab until this process is killed: all that a lab has in the kernel is made here and is recognisable by its name. */
export async function superviseLab(name: string): Promise<void> {
  const { paths, record } = await requireLab(name)
  // Fails when the lab was taken down in the meantime: its directory is gone then.
  await writeJson(paths.supervisorPid, thisProcess())
  await enterCgroups(await makeCgroups(name, 'supervisor'))
  const supervisor = new Supervisor(paths, record, await ensureModulesDirectory(record.rootImage))
  await supervisor.begin()
}

class Supervisor {
  readonly #paths: LabPaths
  readonly #modules: string | null
  readonly #hosts = new Map<string, HostRunner>()
  #lab: LabRecord

  constructor(paths: LabPaths, lab: LabRecord, modules: string | null) {
    this.#paths = paths
    this.#lab = lab
    this.#modules = modules
  }

  async begin(): Promise<void> {
    for (const network of networksOf(this.#lab)) await makeSwitch(this.#paths, network)
    await serveControl(this.#paths.socket, (request) => this.#answer(request))
    await mkdir(this.#paths.keys, { recursive: true, mode: 0o700 })
    await makeKeys(this.#paths, this.#lab.name, [])
    // Each host starts as soon as its own keys are there.
    await Promise.all(this.#lab.hosts.map((host) => this.#bringUp(host)))
    await writeAccessFiles(this.#paths, this.#lab)
  }

  async #answer(request: ControlRequest): Promise<ControlReply> {
    if (request.op === 'add') return this.#add(request.options)
    const record = requireHost(this.#lab, request.host)
    const runner = this.#runner(request.host)
    switch (request.op) {
      case 'start':
        runner.start()
        break
      case 'kill':
        await runner.kill()
        break
      case 'reboot':
        runner.reboot()
        break
      case 'cut':
      case 'heal':
        await this.#setCut(record, request.op === 'cut')
        break
      case 'remove':
        await this.#remove(record, runner)
        break
    }
    return { host: request.host }
  }

  async #add(options: Parameters<typeof withHost>[1]): Promise<ControlReply> {
    await this.#save(withHost(this.#lab, options))
    const host = this.#lab.hosts.at(-1)
    if (host === undefined) throw fail('KX_BUG', { what: 'an added host is not there' })
    await this.#bringUp(host)
    await writeAccessFiles(this.#paths, this.#lab)
    return { host: host.name }
  }

  async #remove(record: HostRecord, runner: HostRunner): Promise<void> {
    if (record.legs.length > 1 && this.#lab.hosts.some(({ legs }) => legs[0]?.network === 'private')) {
      throw fail('KX_LAB_SHAPE', { what: `${record.name} is the jump host of private hosts: remove those first` })
    }
    await runner.kill()
    this.#hosts.delete(record.name)
    await this.#save({ ...this.#lab, hosts: this.#lab.hosts.filter(({ name }) => name !== record.name) })
    await writeAccessFiles(this.#paths, this.#lab)
    await rm(this.#paths.life(record.name), { force: true })
    await rm(this.#paths.host(record.name).dir, { recursive: true, force: true })
  }

  async #setCut(record: HostRecord, cut: boolean): Promise<void> {
    await this.#save({ ...this.#lab, hosts: this.#lab.hosts.map((host) => (host.name === record.name ? { ...host, cut } : host)) })
    // A host that is off has no cable; it gets one in this state when it starts.
    if (['booting', 'running'].includes(this.#runner(record.name).life.state)) await setCut(this.#paths, record, cut)
  }

  async #bringUp(host: HostRecord): Promise<void> {
    await makeKeys(this.#paths, this.#lab.name, [host])
    const runner = new HostRunner(host.name, { paths: this.#paths, modules: this.#modules, lab: () => this.#lab })
    this.#hosts.set(host.name, runner)
    runner.start()
  }

  #runner(host: string): HostRunner {
    const runner = this.#hosts.get(host)
    if (runner === undefined) throw fail('KX_LAB_HOST_STATE', { host, state: 'preparing' })
    return runner
  }

  async #save(lab: LabRecord): Promise<void> {
    this.#lab = lab
    await saveLab(this.#paths, lab)
  }
}
