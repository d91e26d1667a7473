import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe } from 'vitest'
import { attempt, type CommandResult } from '../../src/lab/command.ts'
import {
  type HostStatus,
  keepEvidence,
  type LabAccess,
  type LabOptions,
  labAccess,
  labCapability,
  labDown,
  labExec,
  labNetns,
  labStatus,
  labUp,
  sweepOrphans,
  thisProcess,
} from '../../src/lab/index.ts'
import { labCacheDir } from '../../src/lab/paths.ts'

/** A lab as a test sees it. */
export interface TestLab {
  readonly name: string
  /** Its network namespace: a child started with `nsenter --net=<path>` sees the hosts. */
  readonly netns: string
  /** Keys, known_hosts and ssh_config. */
  readonly access: LabAccess
  readonly hosts: readonly HostStatus[]
  /** Runs a shell script as root on a host, past its network; anything but exit code 0 is an error. */
  onHost(host: string, script: string): Promise<string>
  /** Runs a program of this machine in the lab's network. */
  inNetwork(
    argv: readonly string[],
    options?: { readonly input?: string; readonly env?: Readonly<Record<string, string>> },
  ): Promise<CommandResult>
  /** How it is now. */
  status(): ReturnType<typeof labStatus>
}

let count = 0
let swept: Promise<unknown> | null = null

/** A name for a lab that no other test uses. */
export const testLabName = (): string => {
  count += 1
  return `t${process.pid}-${count}`
}

/**
 * Gives a fresh lab to a test and takes it down afterwards, whatever happens.
 * What earlier test runs that were killed have left is removed first: labs whose owner is dead, nothing else.
 */
export async function withLab<T>(options: Omit<LabOptions, 'name' | 'owner'>, use: (lab: TestLab) => Promise<T>): Promise<T> {
  swept ??= sweepOrphans()
  await swept
  const name = testLabName()
  try {
    await labUp({ ...options, name, owner: thisProcess() })
    return await use(await testLab(name))
  } catch (error) {
    throw await withEvidence(name, error)
  } finally {
    await labDown(name)
  }
}

/** `describe` for tests that need a lab; where none can run, the report says so and why. */
export function describeLab(title: string, body: () => void): void {
  const capability = labCapability()
  if (capability.ok) describe(title, body)
  else {
    process.stderr.write(`not run: ${title}: ${capability.missing} (${capability.fix})\n`)
    describe.skip(`${title} (not run: ${capability.missing})`, body)
  }
}

/** A lab that is up, as a test sees it. */
export async function testLab(name: string): Promise<TestLab> {
  const netns = labNetns(name)
  return {
    name,
    netns,
    access: await labAccess(name),
    hosts: (await labStatus(name)).hosts,
    onHost: async (host, script) => {
      const { code, stdout, stderr } = await labExec(name, host, ['sh', '-euc', script])
      if (code !== 0) throw new Error(`on ${host}: "${script}" ended with ${code}: ${stderr}${stdout}`)
      return stdout
    },
    inNetwork: (argv, given = {}) => attempt(argv, { ...given, netns }),
    status: () => labStatus(name),
  }
}

/** The error of a failed test, with the place where the lab's logs and states are kept for who looks into it. */
async function withEvidence(name: string, error: unknown): Promise<unknown> {
  const directory = join(labCacheDir(), 'failures', `${new Date().toISOString().replaceAll(':', '-')}-${name}`)
  try {
    await mkdir(directory, { recursive: true })
    await keepEvidence(name, directory)
  } catch (second) {
    return new AggregateError([error, second], `${String(error)}; nor could the lab's logs be kept: ${String(second)}`)
  }
  if (error instanceof Error) error.message += `\nlogs and states of the lab are in ${directory}`
  return error
}
