import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { run } from '../../src/lab/command.ts'
import { readSysctls } from '../../src/lab/sysctls.ts'

/** What labs could leave on the machine that runs them, as lists of names. */
export interface MachineSnapshot {
  readonly mounts: readonly string[]
  readonly namespaces: readonly string[]
  readonly cgroups: readonly string[]
  readonly links: readonly string[]
  readonly routes: readonly string[]
  readonly processes: readonly string[]
  readonly sysctls: Readonly<Record<string, string>>
  readonly runtimeFiles: readonly string[]
}

/** The state of this machine as far as labs could change it; other programs may run meanwhile. */
export async function snapshotMachine(): Promise<MachineSnapshot> {
  return {
    mounts: lines(readFileSync('/proc/self/mountinfo', 'utf8'))
      .map((line) => line.split(' ').slice(3, 6).join(' '))
      .sort(),
    namespaces: foreignProcesses('net'),
    cgroups: topCgroups(),
    links: lines(await run(['ip', '-o', '-d', 'link']))
      .map((line) => line.replace(/^\d+: /, ''))
      .sort(),
    routes: lines((await run(['ip', 'route', 'show', 'table', 'all'])) + (await run(['ip', '-6', 'route', 'show', 'table', 'all']))).sort(),
    processes: [...foreignProcesses('pid'), ...labProcesses()],
    sysctls: await readSysctls(),
    runtimeFiles: ['/run/kubexm-lab', '/run/netns', '/run/systemd/nspawn'].filter((path) => existsSync(path)),
  }
}

/** Host processes, whatever they are called: all that live in another namespace than this test. */
function foreignProcesses(kind: 'net' | 'pid'): string[] {
  const own = readlinkSync(`/proc/self/ns/${kind}`)
  return living().filter((pid) => {
    const theirs = tryRead(() => readlinkSync(`/proc/${pid}/ns/${kind}`))
    return theirs !== null && theirs !== own
  })
}

const labProcesses = (): string[] =>
  living().filter((pid) =>
    /systemd-nspawn|supervisor-main|kubexm-lab/.test(tryRead(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? ''),
  )

/** Processes that are not merely waiting for their exit code to be fetched. */
const living = (): string[] =>
  readdirSync('/proc').filter(
    (pid) => /^\d+$/.test(pid) && !/^State:\s+[ZX]/m.test(tryRead(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? 'State: X'),
  )

/** The first level of every hierarchy: deeper ones belong to the machine's own services and change by themselves. */
function topCgroups(): string[] {
  const mounted = lines(readFileSync('/proc/mounts', 'utf8'))
    .map((line) => line.split(' '))
    .filter(([, , type]) => type === 'cgroup' || type === 'cgroup2')
  return mounted
    .flatMap(([, path = '']) =>
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => `${path}/${entry.name}`),
    )
    .sort()
}

const lines = (text: string): string[] => text.split('\n').filter(Boolean)

function tryRead(read: () => string): string | null {
  try {
    return read()
  } catch {
    return null
  }
}
