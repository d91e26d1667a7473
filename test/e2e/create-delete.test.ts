import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type ClusterChoice, labPassword } from '../../src/lab/index.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'
import { diffSnapshots, type HostSnapshot, snapshotHost } from '../support/host-snapshot.ts'
import { kubexmIn } from '../support/kubexm.ts'
import { describeLab, type TestLab, withLab } from '../support/with-lab.ts'
import { runtimeFiles, withMirror } from '../support/with-mirror.ts'

const snapshots = async (lab: TestLab): Promise<ReadonlyMap<string, HostSnapshot>> =>
  new Map(await Promise.all(lab.hosts.map(async ({ name }) => [name, await snapshotHost(lab, name)] as const)))

/** Up to a running container runtime: whole clusters are tried elsewhere. */
const create = ['create', 'cluster', '--until', 'runtime'] as const

const logins: readonly { readonly as: string; readonly hosts: Parameters<typeof withLab>[0]['hosts']; readonly choice: ClusterChoice }[] = [
  { as: 'root with a key', hosts: 3, choice: {} },
  { as: 'a user with a sudo password', hosts: 3, choice: { user: 'admin' } },
  { as: 'root through a jump host', hosts: [{}, { private: true }, { private: true }], choice: {} },
]

describeLab('create and delete', () => {
  test.each(logins)('as $as: the second time changes nothing, deleting leaves nothing', ({ hosts, choice }) =>
    inLab(hosts, async (lab, directory, mirror) => {
      const kubexm = await kubexmIn(lab, directory, mirror, choice)
      const before = await snapshots(lab)

      const dry = await kubexm(...create, '--dry-run')
      expect(dry).toMatchObject({ code: 20 })
      const created = await kubexm(...create)
      expect(created.stderr + created.stdout).toMatch(/create-cluster succeeded/)
      expect(created.code).toBe(0)

      const again = await kubexm(...create)
      expect(again.stdout).toContain('nothing to change')
      expect((await kubexm(...create, '--dry-run')).code).toBe(0)

      const deleted = await kubexm('delete', 'cluster', '--yes', '--purge-data')
      expect(deleted.stderr + deleted.stdout).toMatch(/delete-cluster succeeded/)
      const after = await snapshots(lab)
      for (const [host, snapshot] of before) expect(diffSnapshots(snapshot, after.get(host) as HostSnapshot), host).toEqual([])

      // A plan holds as long as its hosts are the same ones.
      const plan = join(directory, 'plan.json')
      expect((await kubexm(...create, '--plan-out', plan)).code).toBe(0)
      const node = lab.hosts.at(-1)?.name ?? ''
      const id = await lab.onHost(node, `cat /etc/machine-id; echo ${'0'.repeat(32)} > /etc/machine-id`)
      expect(await kubexm(...create, '--plan', plan)).toMatchObject({
        code: 10,
        stderr: expect.stringMatching(/KX_PLAN_MOVED[\s\S]*machineId\s+of\s+node/),
      })
      await lab.onHost(node, `echo ${id.trim()} > /etc/machine-id`)

      const journal = await readFile(join(directory, '.kubexm', lab.name, 'state.jsonl'), 'utf8')
      expect(journal + created.stdout + deleted.stdout).not.toContain(labPassword)
      expect((await kubexm(...create, '--plan', plan)).code).toBe(0)
    }),
  )
})

/** A lab with the mirror in its network, and a directory to work in. */
const inLab = (
  hosts: Parameters<typeof withLab>[0]['hosts'],
  use: (lab: TestLab, directory: string, mirror: string) => Promise<void>,
): Promise<void> =>
  withLab(hosts === undefined ? {} : { hosts }, (lab) =>
    withMirror(lab, runtimeFiles, (mirror) => inTemporaryDirectory((directory) => use(lab, directory, mirror))),
  )
