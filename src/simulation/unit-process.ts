import { basename } from 'node:path'
import { execRefusal } from './content.ts'
import { makeDirectory, readText } from './files.ts'
import { type HostState, type Listening, type Process, processesOf } from './state.ts'
import { entryAt, joinNames, locate } from './tree.ts'
import type { ExecLine, UnitDefinition } from './unit-file.ts'

/** How the start of a unit's program went. */
export type Started = { readonly state: HostState; readonly process: Process | null } | { readonly state: HostState; readonly dies: string }

const searchPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'] as const

/** Runs what the unit says, as far as a host can refuse it: user, directories, environment, the program's file, its ports. */
export function startProcess(state: HostState, unit: string, definition: UnitDefinition): Started {
  if (!state.users.has(definition.user)) return { state, dies: `Failed to determine user credentials: No such process (status=217/USER)` }
  if (definition.group !== null && !state.groups.has(definition.group))
    return { state, dies: 'Failed to determine group credentials (status=216/GROUP)' }
  const environment = readEnvironment(state, definition)
  if (typeof environment === 'string') return { state, dies: environment }
  const ready = makeUnitDirectories(state, definition)
  if (!canEnter(ready, definition.workingDirectory))
    return { state: ready, dies: 'Changing to the requested working directory failed: No such file or directory (status=200/CHDIR)' }
  for (const line of [...definition.execStartPre, ...definition.execStart]) {
    const refusal = line.mayFail ? null : whyNotExecutable(ready, line.argv[0] ?? '')
    if (refusal !== null) return { state: ready, dies: `Failed at step EXEC spawning ${line.argv[0]}: ${refusal} (status=203/EXEC)` }
  }
  const main = definition.execStart.at(-1)
  if (main === undefined || (definition.type === 'oneshot' && !definition.remainAfterExit)) return { state: ready, process: null }
  return run(ready, unit, definition, main, environment)
}

/** A directory with `-` before it may be missing; `~` is the user's home. */
const canEnter = (state: HostState, directory: string | null): boolean =>
  directory?.startsWith('/') !== true || entryAt(state.root, directory)?.type === 'directory'

function run(
  state: HostState,
  unit: string,
  definition: UnitDefinition,
  line: ExecLine,
  environment: Readonly<Record<string, string>>,
): Started {
  const argv = line.argv.flatMap((word) => expand(word, environment))
  const name = basename(argv[0] ?? '')
  const outcome = state.machine.daemons.get(name)?.({ state, argv, environment, unit, user: definition.user }) ?? {}
  if ('dies' in outcome) return { state, dies: outcome.dies }
  const listens = outcome.listens ?? []
  const taken = portTaken(state, listens)
  if (taken !== null) return { state, dies: `listen ${taken}: bind: address already in use` }
  const next = outcome.state ?? state
  const ready = outcome.isReady === undefined ? {} : { isReady: outcome.isReady }
  const process = { pid: next.nextPid, name, argv, binary: findProgram(next, argv[0] ?? ''), user: definition.user, listens, ...ready }
  return { state: { ...next, nextPid: next.nextPid + 1 }, process }
}

/** The first of these ports that somebody listens on already. */
export function portTaken(state: HostState, wanted: readonly Listening[]): string | null {
  const held = processesOf(state).flatMap((process) => process.listens)
  const clash = wanted.find((port) =>
    held.some((other) => other.protocol === port.protocol && other.port === port.port && overlaps(other.address, port.address)),
  )
  return clash === undefined ? null : `${clash.protocol} ${clash.address}:${clash.port}`
}

const isAny = (address: string): boolean => address === '0.0.0.0' || address === '::' || address === '*' || address === ''
const overlaps = (a: string, b: string): boolean => a === b || isAny(a) || isAny(b)

/** The real path of a program's file, looked for as execvp does; null where there is none. */
export function findProgram(state: HostState, program: string): string | null {
  const candidates = program.includes('/') ? [program] : searchPath.map((directory) => `${directory}/${program}`)
  for (const candidate of candidates) {
    const place = locate(state.root, candidate)
    if (place.entry?.type === 'file') return joinNames(place.names)
  }
  return null
}

/** Why the kernel would not run a program; null where it would. */
export function whyNotExecutable(state: HostState, program: string): string | null {
  const path = findProgram(state, program)
  const entry = path === null ? null : entryAt(state.root, path)
  if (entry?.type !== 'file') return 'No such file or directory'
  if ((Number.parseInt(entry.mode, 8) & 0o111) === 0) return 'Permission denied'
  return execRefusal(entry.content, state.machine.arch)
}

function readEnvironment(state: HostState, definition: UnitDefinition): Readonly<Record<string, string>> | string {
  const environment: Record<string, string> = { ...definition.environment }
  for (const file of definition.environmentFiles) {
    const text = readText(state, file.path)
    if (text === null && !file.optional) return `Failed to load environment files: No such file or directory (${file.path})`
    for (const line of (text ?? '').split('\n')) {
      const match = /^\s*([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line)
      if (match?.[1] !== undefined) environment[match[1]] = (match[2] ?? '').replace(/^(["'])(.*)\1$/, '$2')
    }
  }
  return environment
}

/** A variable that is a word of its own becomes as many words as it holds; inside a word it stays one. */
function expand(word: string, environment: Readonly<Record<string, string>>): readonly string[] {
  const alone = /^\$(\w+)$/.exec(word)?.[1]
  if (alone !== undefined) return (environment[alone] ?? '').split(/\s+/).filter((part) => part !== '')
  return [word.replace(/\$\{(\w+)\}/g, (_, name: string) => environment[name] ?? '')]
}

function makeUnitDirectories(state: HostState, definition: UnitDefinition): HostState {
  const owner = `${definition.user}:${definition.group ?? definition.user}`
  const paths = [
    ...definition.runtimeDirectories.map((name) => `/run/${name}`),
    ...definition.stateDirectories.map((name) => `/var/lib/${name}`),
  ]
  return paths.reduce(
    (next, path) => (entryAt(next.root, path) === null ? makeDirectory(next, path, { mode: '0755', owner }) : next),
    state,
  )
}
