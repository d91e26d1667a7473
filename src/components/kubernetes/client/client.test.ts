import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { conforms, Subject } from '../../../../test/conformance/conforms.ts'
import { oneHost, smallCluster } from '../../../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../../../test/support/engine-run.ts'
import { adminAccess, userAccess } from './index.ts'

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
    const subject = new Subject(adminAccess, smallCluster('kubernetes: {version: v1.34.4}'), 'debian-12', directory)
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

it('the kubeconfig of this machine stays as long as some hosts of the cluster do', () =>
  inTemporaryDirectory(async (directory) => {
    const subject = new Subject(adminAccess, scenario(), 'debian-12', directory)
    const rehearsal = await subject.created()
    expect((await rehearsal.run(subject.remove)).errors).toEqual([])
    expect(await readFile(rehearsal.world.paths.kubeconfig, 'utf8')).toContain('client-key-data')
  }))

describe('the kubeconfig of whoever runs kubexm', () => {
  const asked = (n: number) => ({ run: { id: `asked-${n}`, fence: n, purgeData: false, mergeKubeconfig: true, skipChecks: [] } })
  const theirs = 'apiVersion: v1\nkind: Config\nclusters:\n- name: home\n  cluster:\n    server: https://192.0.2.99:6443\n'

  /** Somebody who has a kubeconfig already. */
  async function withKubeconfig(directory: string, text: string) {
    const subject = new Subject(userAccess, smallCluster(), 'debian-12', directory)
    const rehearsal = await subject.rehearsal()
    const { userKubeconfig } = rehearsal.world.paths
    await mkdir(dirname(userKubeconfig), { recursive: true })
    await writeFile(userKubeconfig, text)
    return { subject, rehearsal, userKubeconfig }
  }

  it('gets the cluster when that is asked for, once, and loses it when the cluster is deleted', () =>
    inTemporaryDirectory(async (directory) => {
      const { subject, rehearsal, userKubeconfig } = await withKubeconfig(directory, theirs)
      await rehearsal.run(subject.create)
      expect(await readFile(userKubeconfig, 'utf8')).toBe(theirs)
      expect((await rehearsal.run(subject.create, asked(11))).errors).toEqual([])
      expect(parse(await readFile(userKubeconfig, 'utf8'))).toMatchObject({
        clusters: [{ name: 'home' }, { name: 'kubexm-test', cluster: { server: 'https://192.0.2.1:6443' } }],
        contexts: [{ name: 'kubexm-test', context: { cluster: 'kubexm-test', user: 'kubexm-test' } }],
      })
      const again = await rehearsal.run(subject.create, asked(12))
      expect([...again.states.values()]).not.toContain('succeeded')
      expect(JSON.stringify(rehearsal.events)).not.toContain([...rehearsal.secrets][0]?.split('\n')[1])
      expect((await rehearsal.run(subject.remove)).errors).toEqual([])
      expect(await readFile(userKubeconfig, 'utf8')).toContain(theirs)
      expect(await readFile(userKubeconfig, 'utf8')).not.toContain('kubexm')
      expect([...(await rehearsal.run(subject.remove)).states.values()]).not.toContain('succeeded')
    }))

  it('that cannot be read fails the step that was asked for, and says what to do', () =>
    inTemporaryDirectory(async (directory) => {
      const { subject, rehearsal, userKubeconfig } = await withKubeconfig(directory, 'clusters: [')
      const { errors } = await rehearsal.run(subject.create, asked(11))
      expect(errors.map(({ code, fix }) => [code, fix])).toEqual([['KX_KUBECONFIG_UNUSABLE', expect.stringContaining('KUBECONFIG')]])
      expect(await readFile(userKubeconfig, 'utf8')).toBe('clusters: [')
    }))
})
