import { basename } from 'node:path'
import type { Output } from '../runner/index.ts'
import { Content } from './content.ts'
import { readText, writeFile } from './files.ts'
import { complains, type ProgramContext, type ProgramTable } from './program.ts'
import { Refusal } from './refusal.ts'
import { type Pipeline, parseShell, type Redirection, type SimpleCommand } from './shell-syntax.ts'
import type { HostState } from './state.ts'
import { entryAt } from './tree.ts'
import { findProgram, whyNotExecutable } from './unit-process.ts'

/** What a command line did: what it printed and the state of the host after it. */
export interface Ran {
  readonly output: Output
  readonly state: HostState
}

interface Shell {
  state: HostState
  readonly programs: ProgramTable
}

/** Runs a command line on a state. Nothing is changed but what is returned, apart from the cluster's own state. */
export function runShell(state: HostState, line: string, programs: ProgramTable, stdin = ''): Ran {
  const shell: Shell = { state, programs }
  const output = runLine(shell, line, stdin)
  return { output, state: shell.state }
}

function runLine(shell: Shell, line: string, stdin: string): Output {
  const total = { code: 0, stdout: '', stderr: '' }
  try {
    for (const pipeline of parseShell(line)) {
      if (pipeline.when === 'success' && total.code !== 0) continue
      if (pipeline.when === 'failure' && total.code === 0) continue
      const output = runPipeline(shell, pipeline, stdin)
      total.code = output.code
      total.stdout += output.stdout
      total.stderr += output.stderr
    }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return { code: thrown.code, stdout: total.stdout, stderr: `${total.stderr}${thrown.message}\n` }
  }
  return total
}

function runPipeline(shell: Shell, pipeline: Pipeline, stdin: string): Output {
  let input = stdin
  let stderr = ''
  let last: Output = { code: 0, stdout: '', stderr: '' }
  for (const command of pipeline.commands) {
    last = runCommand(shell, command, input)
    input = last.stdout
    stderr += last.stderr
  }
  return { code: pipeline.negated ? (last.code === 0 ? 1 : 0) : last.code, stdout: last.stdout, stderr }
}

function runCommand(shell: Shell, command: SimpleCommand, stdin: string): Output {
  const from = command.redirections.find(({ stream }) => stream === 0)
  const input = from === undefined ? stdin : readInput(shell.state, from.target)
  if (input === null) return complains(`sh: 1: cannot open ${from?.target}: No such file`, 2)
  const output =
    command.argv.length === 0 ? { code: 0, stdout: '', stderr: '' } : runProgram(shell, command.argv, input, command.environment)
  return redirect(shell, output, command.redirections)
}

function readInput(state: HostState, path: string): string | null {
  return path === '/dev/null' ? '' : readText(state, path)
}

function redirect(shell: Shell, output: Output, redirections: readonly Redirection[]): Output {
  let { stdout, stderr } = output
  for (const { stream, target, append } of redirections) {
    if (stream === 0) continue
    const text = stream === 1 ? stdout : stderr
    if (target === '&1') stdout += stderr
    else if (target === '&2') stderr += stdout
    else if (target !== '/dev/null') writeOutput(shell, target, text, append)
    if (stream === 1) stdout = ''
    else stderr = ''
  }
  return { code: output.code, stdout, stderr }
}

function writeOutput(shell: Shell, path: string, text: string, append: boolean): void {
  const parent = path.slice(0, path.lastIndexOf('/')) || '/'
  if (entryAt(shell.state.root, parent)?.type !== 'directory') throw new Refusal(`sh: 1: cannot create ${path}: Directory nonexistent`, 2)
  const old = entryAt(shell.state.root, path)
  const before = append && old?.type === 'file' ? old.content.text() : ''
  const attributes = old?.type === 'file' ? { mode: old.mode, owner: old.owner } : { mode: '0644' }
  shell.state = writeFile(shell.state, path, new Content(before + text), attributes)
}

function runProgram(shell: Shell, argv: readonly string[], stdin: string, environment: Readonly<Record<string, string>>): Output {
  const program = argv[0] ?? ''
  if (basename(program) === 'sh' && argv[1] === '-c') {
    // A script of ours is known by the name it is given as `$0`: how it works does not matter here, only what it is for.
    const name = argv[3]
    if (name?.startsWith('kubexm-') === true) return runProgram(shell, argv.slice(3), stdin, environment)
    return runLine(shell, argv[2] ?? '', stdin)
  }
  const registered = shell.programs.find(basename(program))
  if (registered === null || registered.needsFile) {
    const refusal = whyNotExecutable(shell.state, program)
    if (refusal === 'No such file or directory') return complains(`sh: 1: ${program}: not found`, 127)
    if (refusal !== null) return complains(`sh: 1: ${program}: ${refusal}`, 126)
  }
  // A file is there, but nobody has said how it behaves: the rehearsal must stop here rather than pretend.
  if (registered === null)
    return complains(`sh: 1: ${findProgram(shell.state, program)}: the simulated host has no model of this program`, 127)
  const ctx: ProgramContext = {
    get state() {
      return shell.state
    },
    set state(next) {
      shell.state = next
    },
    stdin,
    environment,
    cluster: shell.state.machine.cluster,
    call: (inner) => runProgram(shell, inner, stdin, environment),
  }
  try {
    return registered.model(argv, ctx)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    if (thrown.left !== null) shell.state = thrown.left
    return complains(thrown.message, thrown.code)
  }
}
