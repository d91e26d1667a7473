import diagnostics from 'node:diagnostics_channel'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BadHttpServer } from '../../test/support/bad-http-server.ts'
import { smallCluster } from '../../test/support/clusters.ts'
import { inTemporaryDirectory } from '../../test/support/engine-run.ts'
import { type Artifact, ArtifactCache, artifactsFor, builtInCatalogue, createBundle, shapeOf } from '../resource/index.ts'
import { type ArtifactStore, workPaths } from '../runtime/index.ts'
import { simulatedBinary } from '../simulation/index.ts'
import { sha256 } from '../util/hash.ts'
import { offline, openArtifacts, originFor } from './artifact-store.ts'

const { cluster } = smallCluster()
const needed = artifactsFor(
  shapeOf(cluster, () => 'amd64'),
  builtInCatalogue,
)
const fetchable = needed.filter(({ kind }) => kind !== 'package')
const contentOf = ({ id }: Artifact): Buffer => Buffer.from(simulatedBinary(id, 'amd64'))
const ensure = (store: ArtifactStore, artifact: Artifact) =>
  store.ensure(artifact, { signal: AbortSignal.timeout(10_000), onBytes: () => {} })

/** Sockets this process opens to anywhere. */
let opened = 0
const count = (): void => void opened++
beforeEach(() => {
  for (const name of ['KUBEXM_MIRROR', 'KUBEXM_REGISTRY_MIRROR', 'KMZONE']) vi.stubEnv(name, '')
  opened = 0
  diagnostics.subscribe('net.client.socket', count)
})
afterEach(() => {
  vi.unstubAllEnvs()
  diagnostics.unsubscribe('net.client.socket', count)
})

async function bundleOf(directory: string, artifacts: readonly Artifact[]): Promise<string> {
  const provided = artifacts.map(async (artifact, i) => {
    const path = join(directory, `content${i}`)
    await writeFile(path, contentOf(artifact))
    return { artifact, path, sha256: sha256(contentOf(artifact)), size: contentOf(artifact).length }
  })
  const file = join(directory, 'b.tar.zst')
  await createBundle(file, 'test', await Promise.all(provided))
  return file
}

const openIn = (directory: string, choice: Parameters<typeof openArtifacts>[1], work = 'work', of = cluster) =>
  openArtifacts(of, choice, builtInCatalogue, workPaths(join(directory, work), 'test'), new ArtifactCache(join(directory, 'cache')))

describe('a run from a bundle', () => {
  test('has every file and image of the config, and opens no connection', () =>
    inTemporaryDirectory(async (directory) => {
      await using kept = await openIn(directory, { bundle: await bundleOf(directory, fetchable), mirror: 'http://192.0.2.1/files' })
      kept.demand(needed)
      await kept.prove(AbortSignal.timeout(10_000))
      for (const artifact of fetchable) {
        expect(await readFile((await ensure(kept.store, artifact)).path)).toEqual(contentOf(artifact))
        expect(await kept.store.find(artifact)).not.toBeNull()
      }
      expect(fetchable.length).toBeGreaterThan(15)
      expect(opened).toBe(0)
    }))

  test('is refused when the bundle lacks something, though the cache has it', () =>
    inTemporaryDirectory(async (directory) => {
      const [first, ...rest] = fetchable as [Artifact, ...Artifact[]]
      await using whole = await openIn(directory, { bundle: await bundleOf(directory, fetchable) })
      await whole.prove(AbortSignal.timeout(10_000))
      await using lacking = await openIn(directory, { bundle: await bundleOf(directory, rest) })
      expect(() => lacking.demand(needed)).toThrow(expect.objectContaining({ code: 'KX_BUNDLE_LACKS' }))
      await expect(ensure(lacking.store, first)).rejects.toMatchObject({ code: 'KX_BUNDLE_LACKS' })
      expect(opened).toBe(0)
    }))

  test('tells the checks that nothing outside the fleet may be asked, and leaves the given cluster alone', () => {
    expect(offline(cluster).spec.global.offlineMode).toBe(true)
    expect(cluster.spec.global.offlineMode).toBe(false)
  })
})

describe('a run from its sources', () => {
  const artifact = fetchable.find(({ id }) => id.startsWith('kubelet/')) as Extract<Artifact, { kind: 'binary' | 'archive' }>
  const serve = async (): Promise<BadHttpServer> => {
    const server = await BadHttpServer.start()
    const path = artifact.file.url.replace('https:/', '')
    server.serve(path, contentOf(artifact))
    server.serve(`${path}.sha256`, Buffer.from(sha256(contentOf(artifact))))
    return server
  }

  test('fetches once for all clusters, and links the file into the work directory of each', () =>
    inTemporaryDirectory(async (directory) => {
      await using server = await serve()
      await using first = await openIn(directory, { mirror: server.url })
      expect(await first.store.find(artifact)).toBeNull()
      const { path } = await ensure(first.store, artifact)
      expect(opened).toBeGreaterThan(0)
      const linked = join(directory, `work/.kubexm/test/kubernetes/${artifact.file.version}/amd64/kubelet`)
      expect((await stat(linked)).ino).toBe((await stat(path)).ino)
      expect(await first.store.find(artifact)).toMatchObject({ path })

      opened = 0
      await using second = await openIn(directory, { mirror: server.url }, 'other')
      expect(await second.store.find(artifact)).toBeNull()
      await ensure(second.store, artifact)
      expect((await stat(linked.replace('/work/', '/other/'))).ino).toBe((await stat(path)).ino)
      expect(opened).toBe(0)
    }))

  test('fetches nothing where the config says offline', () =>
    inTemporaryDirectory(async (directory) => {
      await using server = await serve()
      await using kept = await openIn(directory, { mirror: server.url }, 'work', offline(cluster))
      await expect(ensure(kept.store, artifact)).rejects.toMatchObject({ code: 'KX_ARTIFACT_OFFLINE' })
      expect(opened).toBe(0)
    }))

  test('takes the mirror of the config where nobody else names one', () => {
    const configured = { ...cluster, spec: { ...cluster.spec, global: { ...cluster.spec.global, artifactMirror: 'http://config' } } }
    expect(originFor(configured, {})).toEqual({ mirror: 'http://config' })
    expect(originFor(configured, { mirror: 'http://flag' })).toEqual({ mirror: 'http://flag' })
    expect(originFor(configured, { zone: 'cn', registryMirror: 'a:1' })).toEqual({ zone: 'cn', imageMirror: 'a:1' })
  })
})
