import { askSupervisor, type ControlRequest } from './control.ts'
import { readLife, requireHost, requireLab } from './record.ts'
import type { HostOptions, OnProgress } from './types.ts'
import { hostsRunning } from './up.ts'

/** Reboots a host in an orderly way and waits until it is up again. */
export async function labReboot(name: string, host: string, onProgress: OnProgress = () => undefined): Promise<void> {
  const { paths, record } = await requireLab(name)
  requireHost(record, host)
  const { boots } = await readLife(paths, host)
  await ask(name, { op: 'reboot', host })
  await hostsRunning(name, [host], onProgress, boots)
}

/** Takes the power from a host: nothing is stopped or written back in order. It stays off. */
export const labKill = (name: string, host: string): Promise<string> => ask(name, { op: 'kill', host })

/** Starts a host that is off and waits until it is up. */
export async function labStart(name: string, host: string, onProgress: OnProgress = () => undefined): Promise<void> {
  await ask(name, { op: 'start', host })
  await hostsRunning(name, [host], onProgress)
}

/** Adds a host to a lab, waits until it is up and gives its name. */
export async function labAdd(name: string, options: HostOptions = {}, onProgress: OnProgress = () => undefined): Promise<string> {
  const host = await ask(name, { op: 'add', options })
  await hostsRunning(name, [host], onProgress)
  return host
}

/** Removes a host and its disks from a lab. */
export const labRemove = (name: string, host: string): Promise<string> => ask(name, { op: 'remove', host })

/** Cuts a host off from its networks without telling it. */
export const labCut = (name: string, host: string): Promise<string> => ask(name, { op: 'cut', host })

/** Heals what {@link labCut} did. */
export const labHeal = (name: string, host: string): Promise<string> => ask(name, { op: 'heal', host })

async function ask(name: string, request: ControlRequest): Promise<string> {
  const { paths } = await requireLab(name)
  return (await askSupervisor(paths, name, request)).host
}
