import { describe, expect, it } from 'vitest'
import type { Rehearsal } from '../../test/support/rehearsal.ts'
import { type WholeCluster, withWholeCluster } from '../../test/support/whole-cluster.ts'
import type { ExecuteOptions, Report } from '../engine/index.ts'
import { fail } from '../error/index.ts'
import { pipelines } from '../pipeline/index.ts'
import { hostPaths } from '../runner/index.ts'
import { Content } from '../simulation/content.ts'
import { writeFile } from '../simulation/files.ts'
import { diffFleets, type Snapshot } from '../simulation/index.ts'
import { resultsOf } from './results.ts'
import { tolerance, usualLoss } from './tolerance.ts'

const shapes: readonly WholeCluster[] = [
  { type: 'kubexm', etcd: 'kubexm', masters: 3 },
  { type: 'kubeadm', etcd: 'kubeadm', masters: 3 },
]
const small: WholeCluster = { type: 'kubexm', etcd: 'kubexm', masters: 1 }

/** Deletes as the command line does: with as many hosts as can be reached. */
function remove(rehearsal: Rehearsal, over: Partial<ExecuteOptions> = {}): Promise<Report> {
  const { cluster, world } = rehearsal
  const ended = { ...world, graph: rehearsal.plan(pipelines['delete-cluster']), rehearsed: true }
  return rehearsal.run(pipelines['delete-cluster'], {
    mayLose: tolerance(cluster, 'delete-cluster', usualLoss(cluster, 'delete-cluster', false)),
    results: (report) => resultsOf('delete-cluster', ended, report),
    ...over,
  })
}

const told = ({ events }: Rehearsal) =>
  Object.fromEntries(events.flatMap((event) => (event.type === 'result' ? [[event.host ?? '', `${event.label}: ${event.text}`]] : [])))

/** A whole cluster, and how its hosts were before it. */
const withHistory = (shape: WholeCluster, use: (rehearsal: Rehearsal, before: readonly Snapshot[]) => Promise<void>): Promise<void> => {
  let before: readonly Snapshot[] = []
  return withWholeCluster(
    shape,
    (rehearsal) => use(rehearsal, before),
    async (rehearsal) => {
      before = rehearsal.snapshots()
    },
  )
}

describe('deleting a cluster', () => {
  it.each(shapes)('leaves nothing, and says on each host what was looked at: $type', (shape) =>
    withHistory(shape, async (rehearsal, before) => {
      const { outcome, errors } = await remove(rehearsal)
      expect([outcome, errors]).toEqual(['success', []])
      expect(diffFleets(before, rehearsal.snapshots())).toEqual([])
      const said = told(rehearsal)
      expect(Object.keys(said).sort()).toEqual(['m1', 'm2', 'm3', 'w1'])
      for (const text of Object.values(said)) expect(text).toMatch(/^clean: nothing is left; looked at \d\d+ files, /)
    }),
  )

  it('a second time finds nothing to do, and says so', () =>
    withHistory(small, async (rehearsal, before) => {
      await remove(rehearsal)
      rehearsal.events.length = 0
      const again = await remove(rehearsal)
      expect([again.outcome, [...again.states.values()].filter((state) => state === 'succeeded')]).toEqual(['success', []])
      expect(told(rehearsal)).toEqual({ m1: 'clean: nothing of kubexm was there', w1: 'clean: nothing of kubexm was there' })
      expect(diffFleets(before, rehearsal.snapshots())).toEqual([])
    }))

  it.each(shapes)('goes on without a host that is off, names it, and cleans it when it is back: $type', (shape) =>
    withHistory(shape, async (rehearsal, before) => {
      const gone = rehearsal.machines.get('m1')
      gone?.powerOff()
      const lost = new Map([['m1', fail('KX_CONNECTION_LOST', { address: '192.0.2.1', why: 'timed out' }, { where: { host: 'm1' } })]])
      const first = await remove(rehearsal, { lost })
      expect(first.errors.map(({ code, exitCode, where }) => [code, exitCode, where.host])).toEqual([['KX_CONNECTION_LOST', 11, 'm1']])
      expect(Object.keys(told(rehearsal)).sort()).toEqual(['m2', 'm3', 'w1'])
      expect(diffFleets(before, rehearsal.snapshots()).filter((line) => !line.startsWith('m1'))).toEqual([])
      gone?.powerOn()
      expect((await remove(rehearsal)).errors).toEqual([])
      expect(diffFleets(before, rehearsal.snapshots()).filter((line) => !/(uptime|boot)/.test(line))).toEqual([])
    }),
  )

  it.each(shapes)('does not need a control plane: $type', (shape) =>
    withHistory(shape, async (rehearsal, before) => {
      for (const host of ['m1', 'm2', 'm3']) {
        const on = rehearsal.world.runner(host)
        if (shape.type === 'kubexm') await on.services.stop('kube-apiserver')
        else await on.files.remove('/etc/kubernetes/manifests/kube-apiserver.yaml')
        if (shape.etcd === 'kubexm') await on.services.stop('etcd')
        else await on.files.remove('/etc/kubernetes/manifests/etcd.yaml')
      }
      expect((await remove(rehearsal)).errors).toEqual([])
      expect(diffFleets(before, rehearsal.snapshots())).toEqual([])
    }),
  )

  it('takes away what came back after it was undone', () =>
    withHistory(small, async (rehearsal, before) => {
      const worker = rehearsal.machines.get('w1')
      const back = '/etc/kubernetes/kubelet.conf'
      let isBack = false
      const { outcome } = await remove(rehearsal, {
        emit: (event) => {
          rehearsal.events.push(event)
          // A program that was still running writes its file once more.
          if (event.type !== 'step.started' || event.step !== 'ownership.sweep' || event.host !== 'w1' || isBack) return
          isBack = true
          worker?.meddle((state) => writeFile(state, back, new Content('again\n'), { mode: '0600' }))
        },
      })
      expect([isBack, outcome]).toEqual([true, 'success'])
      expect(diffFleets(before, rehearsal.snapshots())).toEqual([])
    }))

  it('keeps data that nobody asked it to take, and names it', () =>
    withHistory(small, async (rehearsal) => {
      const { errors } = await remove(rehearsal, { run: { id: 'delete', fence: 9, purgeData: false, skipChecks: [] } })
      expect(errors).toEqual([])
      expect(rehearsal.events.find((event) => event.type === 'result' && event.label === 'kept')).toMatchObject({
        host: 'm1',
        text: expect.stringMatching(/directory \/var\/lib\/etcd.*--purge-data/),
      })
      expect(await rehearsal.world.runner('m1').files.list(hostPaths.root)).toEqual([])
    }))
})
