// How long `kubexm create cluster` takes beside a shell script that does the least by hand, on the same kind of hosts, in one run.
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { root, run } from '../scripts/run.ts'
import { type ClusterChoice, labAccess, labClusterYaml, labDown, labNetns, labUp, thisProcess } from '../src/lab/index.ts'
import { defaultWish, makeMirror, mirroredImage, mirrorLayout, serveMirror } from '../src/lab/mirror/index.ts'

const version = 'v1.34.4'

/** What was measured, in seconds. */
export interface CreateFigures {
  readonly reference: number
  readonly small: number
  readonly again: number
  readonly remove: number
  /** Three masters and two workers: by kubeadm with a stacked etcd, which takes in one master after another, and as binaries. */
  readonly large: number
  readonly largeBinaries: number
}

const stacked = { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } }

const report = (what: string, said: string): void => {
  process.stdout.write(`${what}\n${said.trim().replaceAll(/^/gm, '    ')}\n`)
}

/** The end of what a run says: how it went, with the time of each module. */
const summaryOf = (output: string): string => output.slice(Math.max(0, output.search(/^.* (succeeded|failed|was cancelled) (in|after) /m)))

/** Measures the script, then kubexm, each on fresh hosts. */
export async function measureCreate(): Promise<CreateFigures> {
  const { failed, contents } = await makeMirror({ wish: { ...defaultWish, kubernetes: [version], containerd: ['v2.1.4'], etcd: [] } })
  if (failed[0] !== undefined) throw failed[0].error
  const images = contents.images.map(({ image }) => image)
  // The first time fetches artifacts into the cache, which is not what is measured: the script has its files at hand too.
  await withKubexm(3, { version, spec: stacked }, images, (kubexm) => kubexm('create'))
  const reference = await onHosts(3, (name) => byHand(name, images))
  const figures = await withKubexm(3, { version, spec: stacked }, images, async (kubexm) => ({
    small: await kubexm('create'),
    again: await kubexm('create'),
    remove: await kubexm('delete', '--yes', '--purge-data'),
  }))
  const large = await withKubexm(5, { version, masters: 3, spec: stacked }, images, (kubexm) => kubexm('create'))
  const largeBinaries = await withKubexm(5, { version, masters: 3, type: 'kubexm' }, images, (kubexm) => kubexm('create'))
  return { reference, ...figures, large, largeBinaries }
}

async function onHosts<T>(hosts: number, use: (name: string) => Promise<T>): Promise<T> {
  const name = `bench${process.pid}`
  try {
    await labUp({ name, hosts, owner: thisProcess() })
    return await use(name)
  } finally {
    await labDown(name)
  }
}

const withKubexm = <T>(
  hosts: number,
  choice: ClusterChoice,
  images: readonly string[],
  use: (kubexm: (verb: 'create' | 'delete', ...more: readonly string[]) => Promise<number>) => Promise<T>,
): Promise<T> =>
  onHosts(hosts, async (name) => {
    const directory = await mkdtemp(join(tmpdir(), 'kubexm-bench-'))
    await using served = await serveMirror({ images, address: '10.77.0.1', port: 8080, registryPort: 5000, namespace: labNetns(name) })
    const config = join(directory, 'cluster.yaml')
    await writeFile(config, await labClusterYaml(name, choice))
    const env = { KUBEXM_MIRROR: served.files, KUBEXM_REGISTRY_MIRROR: `http://${served.registry}` }
    const given = await use(async (verb, ...more) => {
      const words = [join(root, 'kubexm'), verb, 'cluster', '-f', config, '--directory', directory, ...more]
      const ran = await run('nsenter', [`--net=${labNetns(name)}`, ...words], { env })
      report(`kubexm ${verb} cluster on ${hosts} hosts`, summaryOf(ran.output))
      return seconds(ran)
    })
    await rm(directory, { recursive: true })
    return given
  })

/** Makes a cluster with the script, from the same files and images. */
async function byHand(name: string, images: readonly string[]): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-reference-'))
  const layout = mirrorLayout()
  for (const group of ['all', 'master']) await mkdir(join(directory, group))
  const onAll = /\/(pause|kube-proxy|flannel|flannel-cni-plugin|coredns):/
  const onMaster = /\/(kube-apiserver|kube-controller-manager|kube-scheduler|etcd):/
  for (const image of images) {
    const group = onAll.test(image) ? 'all' : onMaster.test(image) ? 'master' : null
    const archive = mirroredImage(layout, image)
    if (group !== null) await symlink(archive, join(directory, group, `${image.replaceAll(/[/:]/g, '_')}-${basename(archive)}`))
  }
  const manifest = join(directory, 'flannel.yaml')
  const { flannelYaml } = await import('../src/components/cni/flannel/templates.ts')
  const [daemon = '', plugin = ''] = ['flannel', 'flannel-cni-plugin'].map((part) => images.find((image) => image.includes(`/${part}:`)))
  await writeFile(
    manifest,
    flannelYaml({
      images: { daemon, plugin },
      podRanges: ['10.233.64.0/18'],
      backend: { type: 'vxlan', vni: 1, port: 8472, directRouting: false },
      nftables: false,
      cniConfig: '/etc/cni/net.d',
      cniPlugins: '/opt/cni/bin',
      api: { host: '10.77.0.11', port: 6443 },
    }),
  )
  const env = {
    FILES: layout.files,
    IMAGES: directory,
    VERSION: version,
    FLANNEL: manifest,
    KEY: (await labAccess(name)).plain,
    HOSTS: '10.77.0.11 10.77.0.12 10.77.0.13',
  }
  const ran = await run('nsenter', [`--net=${labNetns(name)}`, join(root, 'bench/reference.sh')], { env })
  report('the script', ran.output)
  const took = seconds(ran)
  await rm(directory, { recursive: true })
  return took
}

function seconds({ code, output, ms }: { readonly code: number; readonly output: string; readonly ms: number }): number {
  if (code !== 0) throw new Error(output)
  return ms / 1000
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await measureCreate(), null, 2)}\n`)
