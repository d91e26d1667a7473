import type { Output } from '../../runner/index.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import type { HostState } from '../state.ts'
import { enabledState, findUnitFile, unitName } from '../unit-lookup.ts'
import {
  activeState,
  disableUnit,
  enableUnit,
  maskUnit,
  reloadUnits,
  resetFailed,
  restartUnit,
  startAndWait,
  startWithoutWaiting,
  stopUnit,
} from '../units.ts'
import { words } from './words.ts'

type Change = (state: HostState, unit: string) => HostState

const changes: Readonly<Record<string, Change>> = {
  start: startAndWait,
  stop: stopUnit,
  restart: (state, unit) => restartUnit(state, unit),
  reload: (state, unit) => restartUnit(state, unit),
  'try-restart': (state, unit) => (activeState(state, unit) === 'active' ? restartUnit(state, unit) : state),
  enable: enableUnit,
  disable: disableUnit,
  mask: (state, unit) => maskUnit(state, unit, true),
  unmask: (state, unit) => maskUnit(state, unit, false),
  'reset-failed': resetFailed,
}

/** The same with `--no-block`. */
const requests: Readonly<Record<string, Change>> = {
  start: startWithoutWaiting,
  restart: (state, unit) => restartUnit(state, unit, startWithoutWaiting),
}

const systemctl: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, ['-p', '--property', '--type', '--state', '-n', '-t'])
  const [verb = '', ...units] = operands
  const change = (flags.has('--no-block') ? requests[verb] : undefined) ?? changes[verb]
  if (change !== undefined) return applyAll(ctx, change, units, flags.has('--now') ? (verb === 'enable' ? startAndWait : stopUnit) : null)
  if (verb === 'daemon-reload') {
    ctx.state = reloadUnits(ctx.state)
    return says()
  }
  if (verb === 'is-active') return ask(units, flags, (unit) => activeState(ctx.state, unit), 'active', 3)
  if (verb === 'is-failed') return ask(units, flags, (unit) => activeState(ctx.state, unit), 'failed', 1)
  if (verb === 'is-enabled') return ask(units, flags, (unit) => enabledState(ctx.state, unit), 'enabled', 1)
  if (verb === 'show') return show(ctx.state, units[0] ?? '', values.get('-p') ?? values.get('--property') ?? null, flags.has('--value'))
  if (verb === 'status') return status(ctx.state, units[0] ?? '')
  if (verb === 'cat') return cat(ctx.state, units[0] ?? '')
  return complains(`Unknown command verb ${verb}.`)
}

function applyAll(ctx: ProgramContext, change: Change, units: readonly string[], then: Change | null): Output {
  for (const unit of units) {
    ctx.state = change(ctx.state, unit)
    if (then !== null) ctx.state = then(ctx.state, unit)
  }
  return says()
}

function ask(units: readonly string[], flags: ReadonlySet<string>, answer: (unit: string) => string, good: string, code: number): Output {
  const answers = units.map(answer)
  const stdout = flags.has('--quiet') || flags.has('-q') ? '' : answers.map((line) => `${line}\n`).join('')
  return { code: answers.every((line) => line === good || (good === 'enabled' && line === 'static')) ? 0 : code, stdout, stderr: '' }
}

function show(state: HostState, name: string, properties: string | null, bare: boolean): Output {
  const unit = unitName(name)
  const record = state.units.get(unit)
  const all: Readonly<Record<string, string>> = {
    Id: unit,
    LoadState: findUnitFile(state, unit) === null ? 'not-found' : 'loaded',
    ActiveState: activeState(state, unit),
    SubState: subState(activeState(state, unit), record?.active === 'failed'),
    UnitFileState: enabledState(state, unit),
    MainPID: String(record?.process?.pid ?? 0),
    NRestarts: '0',
  }
  const wanted = properties?.split(',') ?? Object.keys(all)
  return says(wanted.map((key) => (bare ? `${all[key] ?? ''}\n` : `${key}=${all[key] ?? ''}\n`)).join(''))
}

const subState = (active: string, failed: boolean): string =>
  ({ active: 'running', failed: 'failed', inactive: 'dead', activating: failed ? 'auto-restart' : 'start' })[active] ?? 'dead'

function status(state: HostState, name: string): Output {
  const unit = unitName(name)
  if (findUnitFile(state, unit) === null) return complains(`Unit ${unit} could not be found.`, 4)
  const active = activeState(state, unit)
  return {
    code: active === 'active' ? 0 : 3,
    stdout: `● ${unit}\n     Loaded: loaded (${enabledState(state, unit)})\n     Active: ${active}\n`,
    stderr: '',
  }
}

function cat(state: HostState, name: string): Output {
  const path = findUnitFile(state, unitName(name))
  return path === null ? complains(`No files found for ${unitName(name)}.`) : says(`# ${path}\n`)
}

/** The log of a unit: what its program said when it last ended at once. */
const journalctl: ProgramModel = (argv, { state }) => {
  const { flags, values } = words(argv, ['-u', '--unit', '-n', '--lines', '-o', '--output'])
  const said = state.units.get(unitName(values.get('-u') ?? values.get('--unit') ?? ''))?.lastWords
  if (said === undefined) return says(flags.has('-q') ? '' : '-- No entries --\n')
  return says(`${said}\n`)
}

/** The service manager's command line. */
export function registerSystemctl(table: ProgramTable): void {
  table.register('systemctl', systemctl, { needsFile: true })
  table.register('journalctl', journalctl, { needsFile: true })
}
