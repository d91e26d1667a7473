import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { parseLedger } from '../../src/ledger/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { inClusterLab } from '../support/cluster-lab.ts'
import { proveCluster } from '../support/cluster-proof.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { describeLab } from '../support/with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const kills = 20
const version = 'v1.34.4'

describeLab('a cluster whose creation is killed', () => {
  test(`with kill -9 at ${kills} random moments is finished by --resume, with no change made twice`, () =>
    inClusterLab(
      2,
      { version, type: 'kubeadm', spec: { roleGroups: { etcd: ['node1'] } } },
      async ({ lab, directory, config, kubexm, env }) => {
        const before = await snapshotHost(lab, 'node2')
        let finished = 0
        for (let i = 0; i < kills; i++) {
          const args = ['create', 'cluster', ...(i === 0 ? [] : ['--resume']), '--file', config, '--directory', directory]
          const child = spawn('nsenter', [`--net=${lab.netns}`, launcher, ...args], { env: { ...process.env, ...env }, stdio: 'ignore' })
          const ended = once(child, 'exit')
          // Connecting alone takes half a second or more: what is killed before that has done nothing yet.
          await Promise.race([after(700 + Math.random() * 4000), ended])
          if (child.exitCode !== null) finished++
          child.kill('SIGKILL')
          await ended
        }
        expect(finished, 'runs that came to their end before they were killed').toBeLessThan(kills / 2)
        const resumed = await kubexm('create', 'cluster', '--resume')
        // Where a run had come to its end there is nothing to resume.
        const last = resumed.code === 2 ? await kubexm('create', 'cluster') : resumed
        expect(last.stderr + last.stdout).toMatch(/create-cluster succeeded/)
        const nodes = [
          { name: 'node1', roles: ['control-plane'] },
          { name: 'node2', roles: ['worker'] },
        ] as const
        await proveCluster(lab, { nodes, version, master: 'node1' })
        expect((await kubexm('create', 'cluster')).stdout).toContain('nothing to change')
        for (const { name } of lab.hosts) {
          const things = parseLedger(await lab.onHost(name, `cat ${hostPaths.ledger}`), name).map((entry) => `${entry.kind} ${entry.id}`)
          expect(things.length).toBeGreaterThan(20)
          expect(things).toEqual([...new Set(things)])
        }
        expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
        expect(diffSnapshots(before, await snapshotHost(lab, 'node2'))).toEqual([])
      },
    ))
})
