import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type MirrorEvent,
  type MirrorLayout,
  type MirrorReport,
  makeMirror,
  mirroredFile,
  mirroredImage,
  mirrorLayout,
  serveMirror,
} from '../../src/lab/mirror/index.ts'
import { HttpClient, ImageArchive, RegistryClient } from '../../src/resource/index.ts'

const pause = 'registry.k8s.io/pause:3.10.1'
const plugin =
  'https://github.com/flannel-io/cni-plugin/releases/download/v1.6.2-flannel1/cni-plugin-flannel-linux-amd64-v1.6.2-flannel1.tgz'
/** A mirror small enough for a test: one image, one file, and the servers. */
const small = (item: string): boolean =>
  [`image/${pause}`, 'file/flannel-cni-plugin@v1.6.2-flannel1', 'file-server@v1', 'registry@v3.0.0'].includes(item)

let directory: string
let layout: MirrorLayout

async function make(
  options: Partial<Parameters<typeof makeMirror>[0]> = {},
): Promise<MirrorReport & { readonly events: readonly MirrorEvent[] }> {
  const events: MirrorEvent[] = []
  const report = await makeMirror({ layout, source: 'build', only: small, onEvent: (event) => void events.push(event), ...options })
  expect(report.failed).toEqual([])
  return { ...report, events }
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'kubexm-mirror-'))
  layout = mirrorLayout(directory)
  await make()
}, 600_000)
afterAll(() => rm(directory, { recursive: true, force: true }))

test('what is made stays made: a second run finds it at once', async () => {
  const { made, ms } = await make()
  expect(made).toBe(0)
  expect(ms).toBeLessThan(1000)
})

test('a damaged file is refused and made again, to the same bytes', async () => {
  const path = mirroredImage(layout, pause)
  const whole = await readFile(path)
  const { atime, mtime } = await stat(path)
  await writeFile(path, 'rubbish')
  expect((await make()).made).toBe(1)
  expect(await readFile(path)).toEqual(whole)
  const changed = Buffer.from(whole)
  changed[5000] = (changed[5000] ?? 0) ^ 1
  await writeFile(path, changed)
  await utimes(path, atime, mtime)
  expect((await make({ verify: true })).made).toBeGreaterThan(0)
  expect(await readFile(path)).toEqual(whole)
})

test('an interrupted build leaves nothing under a final name, and the next one goes on', async () => {
  const cut = mirrorLayout(join(directory, 'cut'))
  const controller = new AbortController()
  const running = makeMirror({
    layout: cut,
    source: 'build',
    only: small,
    signal: controller.signal,
    onEvent: (event) => event.type === 'item.started' && event.item.startsWith('registry') && controller.abort(new Error('stop')),
  })
  await expect(running).rejects.toThrow('stop')
  expect(await readdir(join(cut.programs, 'registry')).catch(() => [])).toEqual([])
  expect((await makeMirror({ layout: cut, source: 'build', only: small })).failed).toEqual([])
}, 300_000)

test('processes that make the same mirror at once share the work', async () => {
  const shared = join(directory, 'shared')
  const module = new URL('../../src/lab/mirror/index.ts', import.meta.url).href
  const script = `
    const { makeMirror, mirrorLayout } = await import(${JSON.stringify(module)})
    const finished = []
    const { failed } = await makeMirror({ layout: mirrorLayout(${JSON.stringify(shared)}), source: 'build',
      only: (item) => item === ${JSON.stringify(`image/${pause}`)} || item === 'file-server@v1', onEvent: (event) => event.type === 'item.finished' && finished.push(event.item) })
    if (failed.length > 0) throw failed[0].error
    process.stdout.write(finished.join('\\n') + '\\n')
  `
  const results = await Promise.all(
    [1, 2].map(async () => {
      const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
      let out = ''
      child.stdout.on('data', (chunk: Buffer) => {
        out += chunk.toString()
      })
      const [code] = (await once(child, 'close')) as [number]
      return { code, out }
    }),
  )
  expect(results.map(({ code }) => code)).toEqual([0, 0])
  const finished = results.flatMap(({ out }) => out.split('\n').filter((line) => line !== ''))
  expect(finished.sort()).toEqual(['file-server@v1', `image/${pause}`, 'pause@v3.10.1'])
})

test('a served mirror gives files with ranges and images with their digests, and another mirror can be made from it', async () => {
  await using served = await serveMirror({ layout, images: [pause], address: '127.0.0.1', port: 0, registryPort: 0 })
  using http = new HttpClient({ proxy: {} })
  const file = await readFile(mirroredFile(layout, plugin))
  const part = await http.request(plugin.replace('https:/', served.files), { headers: { range: 'bytes=1000-' } })
  expect(part.status).toBe(206)
  expect(Buffer.concat(await part.body.toArray())).toEqual(file.subarray(1000))
  using client = new RegistryClient({ registry: served.registry, plainHttp: true, proxy: {} })
  await using archive = await ImageArchive.open(mirroredImage(layout, pause))
  expect((await client.resolve('pause', '3.10.1'))?.digest).toBe(archive.images[0]?.top.digest)

  const second = mirrorLayout(join(directory, 'second'))
  const origin = { mirror: served.files, imageMirror: served.registry, plainHttp: true }
  const report = await makeMirror({
    layout: second,
    source: 'download',
    origin,
    only: (item) => item.startsWith('file/flannel-cni') || item === `image/${pause}`,
  })
  expect(report.records.map((record) => record.origin)).toEqual(['downloaded', 'downloaded'])
  expect(await readFile(mirroredFile(second, plugin))).toEqual(file)
  await using copy = await ImageArchive.open(mirroredImage(second, pause))
  expect(copy.images[0]?.top.digest).toBe(archive.images[0]?.top.digest)
})

test('a port that is taken is told, and nothing is left running', async () => {
  await using first = await serveMirror({ layout, images: [], address: '127.0.0.1', port: 0, registryPort: 0 })
  const registryPort = Number(first.registry.slice(first.registry.lastIndexOf(':') + 1))
  await expect(serveMirror({ layout, images: [], address: '127.0.0.1', port: 0, registryPort })).rejects.toMatchObject({
    code: 'KX_MIRROR_SERVE',
    seen: expect.stringContaining('in use'),
  })
})
