// What goes wrong on real hosts, one thing after the other on the way to one cluster: each has its own words, and the way goes on after the fix.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { type CommandResult, labKill, labStart } from '../../src/lab/index.ts'
import { machineArch } from '../../src/lab/mirror/contents.ts'
import { mirroredFile, mirrorLayout, startRegistry } from '../../src/lab/mirror/index.ts'
import { startServer } from '../../src/lab/mirror/server-process.ts'
import { builtInCatalogue, catalogueFile, defaultVersion } from '../../src/resource/catalogue.ts'
import { sha256 } from '../../src/util/hash.ts'
import { holdPort } from '../support/broken-hosts.ts'
import { type ClusterLab, inClusterLab } from '../support/cluster-lab.ts'
import { proveCluster } from '../support/cluster-proof.ts'
import { diffSnapshots, type HostSnapshot, snapshotHost } from '../support/host-snapshot.ts'
import { recordsIn, secretsOf, tellings } from '../support/secrets.ts'
import { describeLab } from '../support/with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const version = 'v1.34.4'
const layout = mirrorLayout()
const program = (name: string, of: string): string => join(layout.programs, name, of, machineArch(), name)

/** The command line in surroundings of the test's own. */
type Kubexm = (env: Readonly<Record<string, string>>, ...args: readonly string[]) => Promise<CommandResult>

/** A place that has the mirror's files, but this kubelet; its checksum file says what it is told to say. */
async function mirrorWith(directory: string, kubelet: Uint8Array, checksum: string): Promise<string> {
  const files = join(directory, 'files')
  await rm(files, { recursive: true, force: true })
  await promisify(execFile)('cp', ['-rs', layout.files, files])
  const place = mirroredFile({ ...layout, files }, catalogueFile(builtInCatalogue, 'kubelet', version, machineArch()).url)
  for (const [file, content] of [[place, kubelet] as const, [`${place}.sha256`, checksum] as const]) {
    // Not through the link: the mirror keeps its own.
    await rm(file)
    await writeFile(file, content, { flag: 'wx' })
  }
  return files
}

/** A program for another machine: enough of one to be taken for it. */
function foreignProgram(): Uint8Array {
  const bytes = Buffer.alloc(4096)
  bytes.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
  bytes.writeUInt16LE(machineArch() === 'amd64' ? 0xb7 : 0x3e, 18)
  return bytes
}

/** What is printed without the lines a terminal needs. */
const unwrapped = (text: string): string => text.replace(/\s+/g, ' ')

async function brokenSources({ lab, directory }: ClusterLab, kubexm: Kubexm): Promise<void> {
  const say = async (env: Readonly<Record<string, string>>): Promise<string> => {
    // Whoever has fetched something before does not ask again.
    const KUBEXM_CACHE = join(directory, 'fresh-cache')
    await rm(KUBEXM_CACHE, { recursive: true, force: true })
    const { code, stdout, stderr } = await kubexm({ KUBEXM_CACHE, ...env }, 'create', 'cluster')
    await rm(KUBEXM_CACHE, { recursive: true, force: true })
    expect(code, stdout + stderr).toBe(11)
    return unwrapped(stdout + stderr)
  }
  const serveFiles = async (files: string) =>
    startServer({
      command: [program('file-server', 'v1'), '10.77.0.1:8090', 'files', files],
      address: '10.77.0.1:8090',
      namespace: lab.netns,
    })
  const mirror = { KUBEXM_MIRROR: 'http://10.77.0.1:8090/files' }
  {
    // Damaged on its way into the mirror: its checksum file still tells of the right one.
    await using _ = await serveFiles(await mirrorWith(directory, foreignProgram(), sha256('the right kubelet')))
    expect(await say(mirror)).toMatch(/✗ KX_CHECKSUM local: http:\S+:8090\/\S+\/kubelet has the wrong checksum/)
  }
  {
    await using _ = await serveFiles(await mirrorWith(directory, foreignProgram(), sha256(foreignProgram())))
    expect(await say(mirror)).toMatch(/✗ KX_PROGRAM_ARCH local: http:\S+:8090\/\S+\/kubelet is no program for/)
  }
  const storage = join(directory, 'empty-registry')
  await mkdir(storage)
  await using registry = await startRegistry({
    program: program('registry', defaultVersion(builtInCatalogue, 'registry')),
    storage,
    work: join(directory, 'registry-work'),
    address: '10.77.0.1:5090',
    namespace: lab.netns,
  })
  const said = await say({ KUBEXM_REGISTRY_MIRROR: `http://${registry.address}` })
  expect(said).toMatch(/✗ KX_IMAGE_MISSING local: registry 10\.77\.0\.1:5090 has no image \S+:\S+/)
}

/** A port that somebody has, a Kubernetes of somebody else: named, and no longer there once they are gone. */
async function brokenHosts({ lab }: ClusterLab, kubexm: Kubexm): Promise<void> {
  await lab.onHost('node1', holdPort('billing', 6443))
  await lab.onHost('node2', 'mkdir -p /etc/kubernetes/manifests; echo x > /etc/kubernetes/manifests/web.yaml')
  const { code, stdout, stderr } = await kubexm({}, 'create', 'cluster')
  expect(code).toBe(12)
  expect(unwrapped(stdout + stderr)).toMatch(
    /KX_PORT_TAKEN node1: port 6443\/tcp, which kube-apiserver needs, is held by billing \(pid \d+\)/,
  )
  expect(unwrapped(stdout + stderr)).toMatch(/KX_FOREIGN_KUBERNETES node2: .*\/etc\/kubernetes\/manifests/)
  await lab.onHost('node1', 'systemctl stop billing; rm /usr/local/bin/billing')
  await lab.onHost('node2', 'rm -r /etc/kubernetes')
}

/** A disk that gets full while programs are being installed: the same run goes on when there is room. */
async function fullDisk({ lab }: ClusterLab, kubexm: Kubexm): Promise<void> {
  await lab.onHost('node3', 'mount -t tmpfs -o size=48m,mode=755 tmpfs /usr/local/bin')
  const { code, stdout, stderr } = await kubexm({}, 'create', 'cluster')
  expect(code, stdout + stderr).toBe(13)
  expect(unwrapped(stdout + stderr)).toMatch(/✗ KX_HOST_DISK_FULL node3: a disk of the host is full: /)
  expect(stdout + stderr).toMatch(/continue +kubexm create cluster .*--resume/)
  await lab.onHost('node3', 'mount -o remount,size=2g /usr/local/bin')
}

/** The power of a master goes while it joins; it comes back, and the same run goes on. */
async function deadMaster({ lab, config, directory, env }: ClusterLab, kubexm: Kubexm): Promise<void> {
  const argv = [`--net=${lab.netns}`, launcher, 'create', 'cluster', '--resume', '--file', config, '--directory', directory]
  const child = spawn('nsenter', argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (said += text))
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  // Its member of etcd is about to be one of two: from then on the other one alone is no majority.
  const joining = lab.onHost('node2', 'until [ -e /etc/kubernetes/manifests/etcd.yaml ]; do sleep 0.05; done')
  const early = ended.then((code) => Promise.reject(new Error(`it ended with ${code} before the master joined:\n${said}`)))
  await Promise.race([joining, early])
  early.catch(() => undefined)
  await labKill(lab.name, 'node2')
  expect(await ended).not.toBe(0)
  expect(said).toMatch(/✗ KX_\w+ +node2: /)
  await labStart(lab.name, 'node2')
  const resumed = await kubexm({}, 'create', 'cluster', '--resume')
  expect(resumed.stdout + resumed.stderr).toContain('create-cluster succeeded')
}

describeLab('bad luck', () => {
  test('of every kind is told in its own words, and the same cluster comes of it in the end', () =>
    inClusterLab(
      3,
      { version, type: 'kubeadm', masters: 2, spec: { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } } },
      async (cluster) => {
        const { lab, directory, config, env } = cluster
        const said: Record<string, string> = {}
        const kubexm: Kubexm = async (other, ...args) => {
          const argv = [launcher, ...args, '--file', config, '--directory', directory]
          const result = await lab.inNetwork(argv, { env: { ...env, ...other } })
          said[`${args.join(' ')} ${Object.keys(said).length}`] = result.stdout + result.stderr
          return result
        }
        const before = await Promise.all(lab.hosts.map(({ name }) => snapshotHost(lab, name)))
        await brokenHosts(cluster, kubexm)
        await brokenSources(cluster, kubexm)
        await fullDisk(cluster, kubexm)
        await deadMaster(cluster, kubexm)

        const nodes = [
          { name: 'node1', roles: ['control-plane'] as const },
          { name: 'node2', roles: ['control-plane'] as const },
          { name: 'node3', roles: ['worker'] as const },
        ]
        await proveCluster(lab, { nodes, version, master: 'node1' })
        expect((await kubexm({}, 'create', 'cluster')).stdout).toContain('nothing to change')

        const secrets = await secretsOf(directory, lab.name, config)
        expect((await kubexm({}, 'delete', 'cluster', '--yes', '--purge-data')).code).toBe(0)
        await lab.onHost('node3', 'umount /usr/local/bin')
        const after = await Promise.all(lab.hosts.map(({ name }) => snapshotHost(lab, name)))
        for (const [i, snapshot] of before.entries())
          expect(diffSnapshots(snapshot, after[i] as HostSnapshot), lab.hosts[i]?.name).toEqual([])
        expect(tellings(secrets, { ...said, ...(await recordsIn(directory)) })).toEqual([])
      },
      { kubernetes: [version] },
    ))
})
