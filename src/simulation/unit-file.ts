import { remembering } from '../util/remember.ts'

/** A unit file, read: what of it decides whether and how the unit starts. */
export interface UnitDefinition {
  readonly path: string
  /** simple, exec, forking, notify, oneshot … */
  readonly type: string
  readonly execStart: readonly ExecLine[]
  readonly execStartPre: readonly ExecLine[]
  readonly user: string
  readonly group: string | null
  readonly remainAfterExit: boolean
  /** Whether it is tried again when it has failed. */
  readonly restarts: boolean
  readonly workingDirectory: string | null
  readonly environment: Readonly<Record<string, string>>
  /** A leading `-` was given: the file may be missing. */
  readonly environmentFiles: readonly { readonly path: string; readonly optional: boolean }[]
  readonly runtimeDirectories: readonly string[]
  readonly stateDirectories: readonly string[]
  readonly conditionPaths: readonly string[]
  readonly requires: readonly string[]
  readonly wants: readonly string[]
  readonly conflicts: readonly string[]
  readonly wantedBy: readonly string[]
  readonly requiredBy: readonly string[]
  readonly alias: readonly string[]
  readonly also: readonly string[]
}

/** One command of a unit; with `-` before it a failure of it does not count. */
export interface ExecLine {
  readonly argv: readonly string[]
  readonly mayFail: boolean
}

type Sections = ReadonlyMap<string, readonly string[]>

/** The unit's definition from its file followed by its drop-ins. */
export const parseUnit = (path: string, unit: string, texts: readonly string[]): UnitDefinition =>
  parsedUnit(JSON.stringify([path, unit, texts]))

/** Looked at again and again, on every host: a unit file is read once. */
const parsedUnit = remembering((key) => readUnit(...(JSON.parse(key) as [string, string, readonly string[]])), 500)

function readUnit(path: string, unit: string, texts: readonly string[]): UnitDefinition {
  const values = readAssignments(texts.map((text) => expandSpecifiers(text, unit)))
  const last = (key: string): string | null => values.get(key)?.at(-1) ?? null
  const every = (key: string): readonly string[] =>
    (values.get(key) ?? []).flatMap((line) => line.split(/\s+/)).filter((word) => word !== '')
  return {
    path,
    type: last('Service.Type') ?? 'simple',
    execStart: (values.get('Service.ExecStart') ?? []).map(parseExec),
    execStartPre: (values.get('Service.ExecStartPre') ?? []).map(parseExec),
    user: last('Service.User') ?? 'root',
    group: last('Service.Group'),
    restarts: ['always', 'on-failure', 'on-abnormal'].includes(last('Service.Restart') ?? 'no'),
    remainAfterExit: isYes(last('Service.RemainAfterExit')),
    workingDirectory: last('Service.WorkingDirectory'),
    environment: Object.fromEntries((values.get('Service.Environment') ?? []).flatMap(splitWords).map(splitAssignment)),
    environmentFiles: (values.get('Service.EnvironmentFile') ?? []).map((file) => ({
      path: file.replace(/^-/, ''),
      optional: file.startsWith('-'),
    })),
    runtimeDirectories: every('Service.RuntimeDirectory'),
    stateDirectories: every('Service.StateDirectory'),
    conditionPaths: [...every('Unit.ConditionPathExists'), ...every('Unit.ConditionFileNotEmpty'), ...every('Unit.AssertPathExists')],
    requires: [...every('Unit.Requires'), ...every('Unit.BindsTo')],
    wants: every('Unit.Wants'),
    conflicts: every('Unit.Conflicts'),
    wantedBy: every('Install.WantedBy'),
    requiredBy: every('Install.RequiredBy'),
    alias: every('Install.Alias'),
    also: every('Install.Also'),
  }
}

/** Assignments by `Section.Key`. A key may repeat; an empty value clears what came before it, as drop-ins need. */
function readAssignments(texts: readonly string[]): Sections {
  const values = new Map<string, readonly string[]>()
  for (const text of texts) {
    let section = ''
    for (const line of text.replaceAll(/\\\r?\n/g, ' ').split('\n')) {
      const trimmed = line.trim()
      if (trimmed === '' || trimmed.startsWith('#') || trimmed.startsWith(';')) continue
      const heading = /^\[(.+)\]$/.exec(trimmed)
      if (heading !== null) {
        section = heading[1] ?? ''
        continue
      }
      const equals = trimmed.indexOf('=')
      if (equals < 0) continue
      const key = `${section}.${trimmed.slice(0, equals).trim()}`
      const value = trimmed.slice(equals + 1).trim()
      values.set(key, value === '' ? [] : [...(values.get(key) ?? []), value])
    }
  }
  return values
}

function expandSpecifiers(text: string, unit: string): string {
  const stem = unit.replace(/\.[a-z]+$/, '')
  const instance = stem.includes('@') ? stem.slice(stem.indexOf('@') + 1) : ''
  const known: Readonly<Record<string, string>> = {
    '%n': unit,
    '%N': stem,
    '%i': instance,
    '%I': instance,
    '%p': stem.replace(/@.*$/, ''),
    '%%': '%',
  }
  return text.replace(/%[nNiIp%]/g, (specifier) => known[specifier] ?? specifier)
}

function parseExec(line: string): ExecLine {
  const prefix = /^[-@:+!|]*/.exec(line)?.[0] ?? ''
  return { argv: splitWords(line.slice(prefix.length)), mayFail: prefix.includes('-') }
}

/** Words with the quotes of unit files taken off. */
function splitWords(line: string): string[] {
  const words = line.match(/(?:[^\s"'\\]|\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')+/g) ?? []
  return words.map((word) =>
    word.replace(/"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  )
}

function splitAssignment(word: string): readonly [string, string] {
  const equals = word.indexOf('=')
  return equals < 0 ? [word, ''] : [word.slice(0, equals), word.slice(equals + 1)]
}

const isYes = (value: string | null): boolean => value !== null && /^(1|yes|true|on)$/i.test(value)
