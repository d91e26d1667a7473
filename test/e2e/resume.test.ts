import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseLedger } from '../../src/ledger/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { kubexmIn } from '../support/kubexm.ts'
import { describeLab, withLab } from '../support/with-lab.ts'
import { runtimeFiles, withMirror } from '../support/with-mirror.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const kills = 6

describeLab('a run that is killed', () => {
  test(`with kill -9 at ${kills} moments of create is finished by --resume, with no change made twice`, () =>
    withLab({ hosts: 2 }, (lab) =>
      withMirror(lab, runtimeFiles, (mirror) =>
        inTemporaryDirectory(async (directory) => {
          const kubexm = await kubexmIn(lab, directory, mirror)
          const before = await snapshotHost(lab, 'node2')
          for (let i = 0; i < kills; i++) {
            const args = ['create', 'cluster', ...(i === 0 ? [] : ['--resume']), '--file', kubexm.config, '--directory', directory]
            const child = spawn('nsenter', [`--net=${lab.netns}`, launcher, ...args], {
              env: { ...process.env, KUBEXM_MIRROR: mirror },
              stdio: 'ignore',
            })
            const ended = once(child, 'exit')
            // Moments spread over the run: from connecting to the container runtime.
            await Promise.race([after(600 + i * 900), ended])
            child.kill('SIGKILL')
            await ended
          }
          const resumed = await kubexm('create', 'cluster', '--resume')
          const last = resumed.code === 2 ? await kubexm('create', 'cluster') : resumed
          expect(last.stderr + last.stdout).toMatch(/create-cluster succeeded/)
          expect((await kubexm('create', 'cluster')).stdout).toContain('nothing to change')

          for (const { name } of lab.hosts) {
            const ledger = parseLedger(await lab.onHost(name, `cat ${hostPaths.ledger}`), name)
            const things = ledger.map((entry) => `${entry.kind} ${entry.id}`)
            expect(things.length).toBeGreaterThan(10)
            expect(things).toEqual([...new Set(things)])
            expect(await lab.onHost(name, 'crictl version')).toContain('containerd')
          }
          expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
          expect(diffSnapshots(before, await snapshotHost(lab, 'node2'))).toEqual([])
        }),
      ),
    ))
})
