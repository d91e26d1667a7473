import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { expect } from 'vitest'
import { parseLedger } from '../../src/ledger/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import type { KubexmInLab } from './kubexm.ts'
import type { TestLab } from './with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
export const kills = 20
/** The exit code that says so. */
const nothingToResume = 2

/** What is killed again and again. */
interface KilledRun {
  readonly lab: TestLab
  /** The command, with its config and directory. */
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Between which two moments after its start, in milliseconds. */
  readonly between: readonly [number, number]
  /** The same command, to be waited for. */
  readonly again: (...more: readonly string[]) => ReturnType<KubexmInLab>
}

/** Kills a run at random moments, each time resumed, and expects it to succeed once it is left alone. Gives how many of them ended before they were killed. */
export async function killAgainAndAgain({ lab, args, env, between: [soonest, latest], again }: KilledRun): Promise<number> {
  const moments: number[] = []
  let finished = 0
  let begun = false
  for (let i = 0; i < kills; i++) {
    const argv: readonly string[] = [`--net=${lab.netns}`, launcher, ...args, ...(begun ? ['--resume'] : [])]
    const child = spawn('nsenter', argv, { env: { ...process.env, ...env }, stdio: 'ignore' })
    const ended = once(child, 'exit')
    const moment = Math.round(soonest + Math.random() * (latest - soonest))
    moments.push(moment)
    await Promise.race([after(moment), ended])
    const code = child.exitCode
    child.kill('SIGKILL')
    await ended
    expect([null, 0, nothingToResume], `killed after ${moments.join(', ')} ms`).toContain(code)
    if (code !== null) finished++
    // The first one may be killed before it has written anything down.
    begun = code !== nothingToResume
  }
  const resumed = await again('--resume')
  // Where a run had come to its end there is nothing to resume.
  const last = resumed.code === nothingToResume ? await again() : resumed
  expect(last.stderr + last.stdout, `killed after ${moments.join(', ')} ms`).toMatch(/create-cluster succeeded/)
  return finished
}

/** Expects that every host has many changes of kubexm's, and nothing was changed twice; but a master is started by one step and joined by the next. */
export async function expectNothingTwice(lab: TestLab, moreThan: number): Promise<void> {
  for (const { name } of lab.hosts) {
    const entries = parseLedger(await lab.onHost(name, `cat ${hostPaths.ledger}`), name)
    const changes = entries.map(({ step, kind, id }) => `${kind} ${id}${kind === 'kubeadm-node' ? ` ${step}` : ''}`)
    expect(changes.length).toBeGreaterThan(moreThan)
    expect(changes).toEqual([...new Set(changes)])
  }
}
