import { refuse } from '../refusal.ts'
import type { Run } from './kubeadm-node.ts'

/** A part of `kubeadm init` or `join` that can be left out, or run alone. */
export interface Phase {
  readonly name: string
  /** A phase without parts does this; one with parts does what they do, in order. */
  readonly does?: (run: Run) => void
  readonly parts?: readonly Phase[]
}

/** Runs all phases but those that are left out: a name nobody knows is an error before anything is done. */
export function runPhases(phases: readonly Phase[], run: Run, skipped: readonly string[]): void {
  const unknown = skipped.find((name) => !namesOf(phases).includes(name))
  if (unknown !== undefined) throw refuse(`invalid phase name: ${unknown}`)
  runAll(phases, run, skipped, '')
}

function runAll(phases: readonly Phase[], run: Run, skipped: readonly string[], parent: string): void {
  for (const { name, does, parts } of phases) {
    const path = `${parent}${name}`
    if (skipped.includes(path)) continue
    does?.(run)
    if (parts !== undefined) runAll(parts, run, skipped, `${path}/`)
  }
}

const namesOf = (phases: readonly Phase[], parent = ''): readonly string[] =>
  phases.flatMap(({ name, parts = [] }) => [`${parent}${name}`, ...namesOf(parts, `${parent}${name}/`)])

/** Runs one phase alone, with all its parts or with one of them. */
export function runPhase(phases: readonly Phase[], run: Run, [name = '', part = 'all']: readonly string[]): void {
  const phase = phases.find((one) => one.name === name)
  const chosen = part === 'all' || phase?.parts === undefined ? phase : phase.parts.find((one) => one.name === part)
  if (chosen === undefined) throw refuse(`unknown phase: ${name} ${part}`)
  runAll([chosen], run, [], '')
}
