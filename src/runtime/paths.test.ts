import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { workPaths } from './paths.ts'

const home = join(homedir(), '.kube', 'config')

describe('the kubeconfig of whoever runs kubexm', () => {
  it.each([
    { KUBECONFIG: undefined, is: home },
    { KUBECONFIG: '', is: home },
    { KUBECONFIG: '/a/config:/b/config', is: '/a/config' },
    { KUBECONFIG: ':relative', is: resolve('relative') },
    // What the summary of a run tells people to export is the cluster's own, which kubexm writes anew whenever it likes.
    { KUBECONFIG: resolve('base/.kubexm/prod/kubeconfig'), is: home },
    { KUBECONFIG: `${resolve('base/.kubexm/prod/kubeconfig')}:/b/config`, is: '/b/config' },
  ])('with KUBECONFIG=$KUBECONFIG is $is', ({ KUBECONFIG, is }) => {
    expect(workPaths('base', 'prod', { KUBECONFIG }).userKubeconfig).toBe(is)
  })

  it("is in nobody's home unless the environment is asked", () => {
    expect(workPaths('base', 'prod').userKubeconfig).toBe(join('base', '.kube', 'config'))
  })
})
