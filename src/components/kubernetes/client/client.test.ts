import { chmod, readFile, stat, writeFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { conforms, Subject } from '../../../../test/conformance/conforms.ts'
import { oneHost } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { adminAccess } from './index.ts'

const scenario = () => oneHost('kubernetes: {version: v1.34.4}')

conforms(adminAccess, scenario())

conforms(adminAccess, {
  ...scenario(),
  os: ['debian-12'],
  // Somebody's own access to another cluster comes back when ours goes.
  before: (rehearsal) => rehearsal.prepare((on) => on.files.write('/root/.kube/config', 'another cluster\n', { mode: '0600' })),
})

it('the kubeconfig of this machine is for its owner alone, names the endpoint from outside, and goes with the cluster', () =>
  inTemporaryDirectory(async (directory) => {
    const subject = new Subject(adminAccess, scenario(), 'debian-12', directory)
    const rehearsal = await subject.created()
    const { kubeconfig } = rehearsal.world.paths
    expect(parse(await readFile(kubeconfig, 'utf8'))).toMatchObject({
      kind: 'Config',
      clusters: [{ cluster: { server: 'https://192.0.2.1:6443' } }],
    })
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600)
    await chmod(kubeconfig, 0o644)
    await rehearsal.run(subject.create)
    expect((await stat(kubeconfig)).mode & 0o777).toBe(0o600)
    await writeFile(kubeconfig, 'stale')
    await rehearsal.run(subject.create)
    expect(await readFile(kubeconfig, 'utf8')).toContain('client-key-data')
    expect((await rehearsal.run(subject.remove)).errors).toEqual([])
    await expect(stat(kubeconfig)).rejects.toMatchObject({ code: 'ENOENT' })
  }))
