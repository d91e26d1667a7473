import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { labCut, labHeal, labReboot } from '../../src/lab/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { setInConfig } from '../support/config-file.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { expectNothingTwice, killAgainAndAgain } from '../support/killed-runs.ts'
import { type KubexmInLab, kubexmIn } from '../support/kubexm.ts'
import { describeLab, type TestLab, withLab } from '../support/with-lab.ts'
import { runtimeFiles, withMirror } from '../support/with-mirror.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const create = ['create', 'cluster', '--until', 'runtime'] as const

interface Scene {
  readonly lab: TestLab
  readonly kubexm: KubexmInLab
  /** Which config the command line works with, in which directory. */
  readonly where: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Starts the command line and does not wait for it. */
  start(...args: readonly string[]): { readonly child: ChildProcess; readonly ended: Promise<{ code: number | null; said: string }> }
}

/** Two hosts, a mirror beside them, and a directory to work in. */
const inScene = (use: (scene: Scene) => Promise<void>): Promise<void> =>
  withLab({ hosts: 2 }, (lab) =>
    withMirror(lab, runtimeFiles, (mirror) =>
      inTemporaryDirectory(async (directory) => {
        const kubexm = await kubexmIn(lab, directory, mirror)
        const where = ['--file', kubexm.config, '--directory', directory]
        const env = { KUBEXM_MIRROR: mirror }
        const start: Scene['start'] = (...args) => {
          const argv = [`--net=${lab.netns}`, launcher, ...args, ...where]
          const child = spawn('nsenter', argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
          let said = ''
          for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
          return { child, ended: once(child, 'exit').then(([code]) => ({ code: code as number | null, said })) }
        }
        await use({ lab, kubexm, where, env, start })
      }),
    ),
  )

/** Waits until kubexm has made a few changes on a host; a run that ends before is none to interrupt. */
async function begun(lab: TestLab, host: string, ended: Promise<{ readonly said: string }>): Promise<void> {
  const changed = lab.onHost(host, `timeout 120 sh -c 'until [ "$(wc -l < ${hostPaths.ledger})" -gt 12 ]; do sleep 0.05; done' 2>/dev/null`)
  const early = ended.then(({ said }) => Promise.reject(new Error(`it ended before it was interrupted:\n${said}`)))
  await Promise.race([changed, early])
  early.catch(() => undefined)
}

/** What was finished is right on every host, and nothing was done twice. */
async function expectWhole({ lab, kubexm }: Scene): Promise<void> {
  expect((await kubexm(...create)).stdout).toContain('nothing to change')
  await expectNothingTwice(lab, 10)
  for (const { name } of lab.hosts) {
    expect(await lab.onHost(name, 'crictl version')).toContain('containerd')
  }
}

describeLab('a run that is interrupted', () => {
  test('by kill -9 at random moments of create is finished by --resume, with no change made twice', () =>
    inScene(async (scene) => {
      const { lab, kubexm, where, env } = scene
      const before = await snapshotHost(lab, 'node2')
      // From connecting to well into the changes: each run gets a little further than the one before.
      await killAgainAndAgain({
        lab,
        args: [...create, ...where],
        env,
        between: [300, 3000],
        again: (...more) => kubexm(...create, ...more),
      })
      await expectWhole(scene)
      expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
      expect(diffSnapshots(before, await snapshotHost(lab, 'node2'))).toEqual([])
    }))

  test('by the reboot of a host says so, and --resume finishes it', () =>
    inScene(async (scene) => {
      const { ended } = scene.start(...create)
      await begun(scene.lab, 'node2', ended)
      await labReboot(scene.lab.name, 'node2')
      const { code, said } = await ended
      // It may come back soon enough for the step that was cut off to be tried again.
      if (code !== 0) {
        expect(said).toMatch(/✗ KX_CONNECT\w+ +node2: /)
        expect(said).toMatch(/continue +kubexm create cluster .*--resume/)
        expect((await scene.kubexm(...create, '--resume')).stdout).toMatch(/create-cluster succeeded/)
      }
      await expectWhole(scene)
    }))

  test('by the cut network of a host goes on with the other where it may, says so, and --resume finishes it', () =>
    inScene(async (scene) => {
      const { lab, kubexm, start } = scene
      await setInConfig(kubexm.config, { 'global.connectionTimeout': 3 })
      const { ended } = start(...create, '--max-failed', '1')
      await begun(lab, 'node2', ended)
      await labCut(lab.name, 'node2')
      const { code, said } = await ended
      expect(code).toBe(11)
      expect(said).toMatch(/✗ KX_(CONNECTION_LOST|HOST_SILENT) +node2: /)
      expect(said).toMatch(/given up +node2/)
      // The other host has what it would have had without this.
      expect(await lab.onHost('node1', 'crictl version')).toContain('containerd')

      // Nor can it be reached to begin with: the same, and sooner.
      expect((await kubexm(...create, '--resume')).code).toBe(11)
      const without = await kubexm(...create, '--max-failed', '1')
      expect(without).toMatchObject({ code: 11, stdout: expect.stringMatching(/given up +node2/) })
      await labHeal(lab.name, 'node2')
      const resumed = await kubexm(...create, '--resume')
      expect(resumed.stderr + resumed.stdout).toMatch(/create-cluster succeeded/)
      await expectWhole(scene)
    }))
})
