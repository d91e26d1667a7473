import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { configText } from '../../test/support/config-text.ts'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { loadCluster } from '../config/index.ts'
import { type Artifact, artifactsFor, builtInCatalogue, createBundle, shapeOf } from '../resource/index.ts'
import { sha256 } from '../util/hash.ts'
import { runCli } from './cli.ts'
import { sourcesOf } from './cluster-options.ts'

const said = { stdout: '', stderr: '' }
beforeEach(() => {
  Object.assign(said, { stdout: '', stderr: '' })
  for (const name of ['stdout', 'stderr'] as const)
    vi.spyOn(process[name], 'write').mockImplementation((text, ...rest) => {
      said[name] += String(text)
      // Who writes the last of a run waits to be told that it is out.
      for (const argument of rest) if (typeof argument === 'function') argument()
      return true
    })
})
afterEach(() => void vi.restoreAllMocks())

async function bundleOf(file: string, artifacts: readonly Artifact[]): Promise<void> {
  const content = `${file}.content`
  await writeFile(content, 'content')
  const wanted = artifacts.filter(({ kind }) => kind !== 'package')
  await createBundle(
    file,
    'test',
    wanted.map((artifact) => ({ artifact, path: content, sha256: sha256('content'), size: 7 })),
  )
}

test('a plan from a bundle is made when the bundle is enough, and refused when it is not, whoever is asked', () =>
  inTemporaryDirectory(async (directory) => {
    const [config, bundle] = [join(directory, 'c.yaml'), join(directory, 'b.tar.zst')]
    await writeFile(config, configText())
    const shape = async (arch: 'amd64' | 'arm64') => shapeOf(await loadCluster(config), () => arch)
    const run = (command: string): Promise<number> =>
      runCli([...command.split(' '), '-f', config, '--directory', directory, '--rehearse', '--bundle', bundle])
    await bundleOf(bundle, artifactsFor(await shape('amd64'), builtInCatalogue))
    expect(await run('plan')).toBe(0)
    expect(said.stdout).toContain('kubelet')

    await bundleOf(bundle, artifactsFor(await shape('arm64'), builtInCatalogue))
    for (const command of ['plan', 'preflight', 'create cluster', 'create cluster --dry-run']) {
      said.stderr = ''
      expect(await run(command), command).toBe(10)
      expect(said.stderr).toContain('KX_BUNDLE_LACKS')
      expect(said.stderr).toMatch(/kubelet\/v[\d.]+\/amd64/)
    }
  }))

test('only what is said is passed on', () => {
  expect(sourcesOf({})).toEqual({})
  expect(sourcesOf({ mirror: 'a', registryMirror: 'b', zone: 'c', catalogue: 'd', bundle: 'e' })).toEqual({
    ...{ mirror: 'a', registryMirror: 'b', zone: 'c', catalogue: 'd', bundle: 'e' },
  })
})
