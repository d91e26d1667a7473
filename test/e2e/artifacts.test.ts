import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { loadCluster } from '../../src/config/index.ts'
import { type CommandResult, labClusterYaml } from '../../src/lab/index.ts'
import { defaultWish, makeMirror, mirroredFile, mirroredImage, mirrorLayout, serveMirror } from '../../src/lab/mirror/index.ts'
import { artifactsFor, builtInCatalogue, shapeOf } from '../../src/resource/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { describeLab, type TestLab, withLab } from '../support/with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const address = '10.77.0.1'
const busybox = 'docker.io/library/busybox:1.37.0'

/** What a cluster of one kind needs, as the mirror has it: files by their names, images by theirs. */
async function needs(lab: TestLab, kubernetes: string, containerd: string, directory: string) {
  const config = join(directory, `${kubernetes}.yaml`)
  const runtime = { containerRuntime: { type: 'containerd', version: containerd } }
  await writeFile(
    config,
    await labClusterYaml(lab.name, { version: kubernetes, spec: { kubernetes: runtime, dns: { nodelocaldns: { enabled: false } } } }),
  )
  const shape = shapeOf(await loadCluster(config), () => 'amd64')
  const artifacts = artifactsFor(shape, builtInCatalogue)
  return {
    config,
    files: artifacts.flatMap((artifact) => ('file' in artifact ? [artifact.file] : [])),
    images: artifacts.flatMap((artifact) => (artifact.kind === 'image' ? [artifact.image] : [])),
  }
}

/** Serves these things in the lab's network until disposed; whatever the mirror lacks is made first. */
async function serveIn(lab: TestLab, files: readonly { readonly name: string; readonly version: string }[], images: readonly string[]) {
  const wanted = new Set([...files.map(({ name, version }) => `file/${name}@${version}`), ...images.map((image) => `image/${image}`)])
  const { failed } = await makeMirror({
    wish: defaultWish,
    only: (item) => wanted.has(item) || item === 'packages' || /^(registry|file-server)@/.test(item),
  })
  if (failed[0] !== undefined) throw failed[0].error
  return serveMirror({ images, address, port: 8080, registryPort: 5000, namespace: lab.netns })
}

/** A directory on the disk: bundles are too large for memory. */
async function onDisk<T>(use: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-artifacts-'))
  try {
    return await use(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

describeLab('what the mirror serves', () => {
  test.each([
    { kubernetes: 'v1.33.4', containerd: '1.7.28' },
    { kubernetes: 'v1.34.4', containerd: '2.1.4' },
  ])('Kubernetes $kubernetes and containerd $containerd run on a host and are what they are called', ({ kubernetes, containerd }) =>
    withLab({ hosts: 1 }, (lab) =>
      onDisk(async (directory) => {
        const { files } = await needs(lab, kubernetes, containerd, directory)
        await using mirror = await serveIn(lab, files, [busybox])
        const layout = mirrorLayout()
        const local = [...files.map(({ url }) => mirroredFile(layout, url)), mirroredImage(layout, busybox)]
        const copied = await lab.inNetwork(['scp', '-q', '-F', lab.access.sshConfig, ...local, 'node1:/opt/'])
        expect(copied.code === 0 ? 'copied' : copied.stderr).toBe('copied')
        const version = (name: string): string => files.find((file) => file.name === name)?.version ?? `no ${name}`
        for (const file of files) {
          const at = `/opt/${basename(new URL(file.url).pathname)}`
          const flat = file.name === 'containerd' || file.name === 'etcd' ? '--strip-components=1' : ''
          await lab.onHost(
            'node1',
            file.kind === 'binary' ? `install -m 0755 ${at} /usr/local/bin/${file.name}` : `tar -xf ${at} -C /usr/local/bin ${flat}`,
          )
        }
        const says = (command: string): Promise<string> => lab.onHost('node1', `${command} 2>&1`)
        for (const name of ['kubelet', 'kubeadm', 'kubectl']) expect(version(name)).toBe(kubernetes)
        expect(await says('kubelet --version')).toBe(`Kubernetes ${kubernetes}\n`)
        expect(await says('kubeadm version -o short')).toBe(`${kubernetes}\n`)
        expect(await says('kubectl version --client')).toContain(`Client Version: ${kubernetes}\n`)
        expect(await says('etcd --version')).toContain(`etcd Version: ${version('etcd').slice(1)}\n`)
        expect(await says('etcdctl version')).toContain(`etcdctl version: ${version('etcd').slice(1)}\n`)
        expect(await says('containerd --version')).toContain(` v${containerd} `)
        expect(await says('runc --version')).toContain(`runc version ${version('runc').slice(1)}\n`)
        expect(await says('crictl --version')).toContain(version('crictl'))

        // A container of an image that was brought as a file, and one of an image that the host gets itself.
        await lab.onHost('node1', 'systemd-run -q --unit=kx-containerd -p Delegate=yes /usr/local/bin/containerd')
        await lab.onHost('node1', 'for i in $(seq 100); do ctr version >/dev/null 2>&1 && exit; sleep 0.2; done; ctr version')
        const archive = `/opt/${basename(mirroredImage(layout, busybox))}`
        expect(await says(`ctr images import ${archive}`)).toContain(busybox)
        const run = (image: string, id: string): Promise<string> =>
          says(`ctr run --rm ${image} ${id} sh -c 'echo I am $(hostname) of $0' ${id}`)
        expect(await run(busybox, 'imported')).toContain('of imported')
        const there = `${mirror.registry}/library/busybox:1.37.0`
        await says(`ctr images rm ${busybox} && ctr images pull --plain-http ${there}`)
        expect(await says('ctr images ls -q')).toBe(`${there}\n`)
        expect(await run(there, 'pulled')).toContain('of pulled')
      }),
    ),
  )
})

describeLab('a bundle', () => {
  test('made from a mirror creates a cluster where nothing else answers', () =>
    withLab({ hosts: 2 }, (lab) =>
      onDisk(async (directory) => {
        const { config, files, images } = await needs(lab, 'v1.34.4', '2.1.4', directory)
        const bundle = join(directory, 'b.tar.zst')
        const kubexm = (cache: string, ...args: readonly string[]): Promise<CommandResult> =>
          lab.inNetwork([launcher, ...args], { env: { KUBEXM_CACHE: join(directory, cache) } })
        const cluster = (...args: readonly string[]): Promise<CommandResult> =>
          kubexm('offline', ...args, '--file', config, '--directory', directory)
        {
          await using mirror = await serveIn(lab, files, images)
          const sources = ['--mirror', mirror.files, '--registry-mirror', `http://${mirror.registry}`]
          const packages = ['--packages', `debian-12=deb [trusted=yes] ${mirror.packages} ./`]
          const made = await kubexm('online', 'bundle', 'create', '--file', config, '--output', bundle, ...sources, ...packages)
          expect(made.code === 0 ? 'made' : made.stderr).toBe('made')
        }
        expect(await kubexm('offline', 'bundle', 'verify', bundle, '--file', config)).toMatchObject({ code: 0 })
        // No repository either: what the hosts lack must come with the bundle.
        for (const { name } of lab.hosts) await lab.onHost(name, ': > /etc/apt/sources.list; rm -rf /srv/packages /var/lib/apt/lists/*')

        const other = await needs(lab, 'v1.33.4', '1.7.28', directory)
        const lacking = await kubexm('offline', 'plan', '--file', other.config, '--directory', directory, '--bundle', bundle)
        expect(lacking).toMatchObject({ code: 10, stderr: expect.stringContaining('KX_BUNDLE_LACKS') })
        expect(lacking.stderr).toContain('kubelet/v1.33.4/amd64')

        const cut = join(directory, 'cut.tar.zst')
        await writeFile(cut, (await readFile(bundle)).subarray(0, 100_000_000))
        const damaged = await cluster('create', 'cluster', '--bundle', cut)
        expect(damaged).toMatchObject({ code: 10, stderr: expect.stringContaining('KX_BUNDLE') })
        for (const { name } of lab.hosts)
          expect(await lab.onHost(name, `ls ${hostPaths.root} 2>/dev/null || echo untouched`)).toBe('untouched\n')

        expect(await cluster('create', 'cluster', '--bundle', bundle, '--dry-run')).toMatchObject({ code: 20 })
        const created = await cluster('create', 'cluster', '--bundle', bundle)
        expect(created.stderr + created.stdout).toMatch(/create-cluster succeeded/)
        const kept = join(directory, '.kubexm', lab.name)
        for (const file of ['kubernetes/v1.34.4/amd64/kubelet', 'container_runtime/runc/v1.3.3/amd64/runc'])
          expect((await stat(join(kept, file))).nlink, file).toBeGreaterThan(1)
        for (const { name } of lab.hosts) {
          expect(await lab.onHost(name, 'dpkg -s conntrack socat ipset | grep -c "^Status: install ok installed"')).toBe('3\n')
          expect(await lab.onHost(name, 'containerd --version')).toContain('v2.1.4')
        }
        const again = await cluster('create', 'cluster', '--bundle', bundle)
        expect(again.stdout).toContain('nothing to change')
        expect(await cluster('delete', 'cluster', '--yes', '--purge-data')).toMatchObject({ code: 0 })
      }),
    ))
})
