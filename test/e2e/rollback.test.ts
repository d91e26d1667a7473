import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { inClusterLab } from '../support/cluster-lab.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { describeLab } from '../support/with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const stacked = { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } }
const proofs = ['--cacert=ca.crt', '--cert=server.crt', '--key=server.key'].map((proof) => proof.replace('=', '=/etc/kubernetes/pki/etcd/'))

describeLab('a run that is taken back', () => {
  test('while its masters enter etcd leaves an etcd that works, and can be resumed', () =>
    inClusterLab(3, { version: 'v1.34.4', type: 'kubeadm', masters: 3, spec: stacked }, async ({ lab, directory, config, kubexm, env }) => {
      const before = await snapshotHost(lab, 'node3')
      const args = ['create', 'cluster', '--rollback-on-failure', '--file', config, '--directory', directory]
      const child = spawn('nsenter', [`--net=${lab.netns}`, launcher, ...args], { env: { ...process.env, ...env } })
      let said = ''
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
      const ended = once(child, 'exit')
      await lab.onHost('node3', 'timeout 300 sh -c "until [ -e /etc/kubernetes/manifests/etcd.yaml ]; do sleep 0.05; done"')
      child.kill('SIGINT')
      await ended
      expect(said).toMatch(/create-cluster was cancelled/)
      expect(said).not.toContain('KX_ROLLBACK_FAILED')
      const members = await lab.onHost('node1', `crictl exec $(crictl ps -q --name '^etcd$') etcdctl ${proofs.join(' ')} member list`)
      expect(members.trim().split('\n')).toEqual([expect.stringContaining('started, node1')])
      for (const host of ['node2', 'node3']) expect(await lab.onHost(host, 'ls -A /etc/kubernetes/manifests')).toBe('')
      expect((await kubexm('create', 'cluster', '--resume')).stdout).toMatch(/create-cluster succeeded/)
      expect((await kubexm('delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
      expect(diffSnapshots(before, await snapshotHost(lab, 'node3'))).toEqual([])
    }))
})
