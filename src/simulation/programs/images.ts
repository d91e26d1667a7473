import type { Output } from '../../runner/index.ts'
import { fileInTar } from '../archive.ts'
import { listNames, readText } from '../files.ts'
import { imagesIn, withImages, withoutImage } from '../images.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import { heldDigest } from '../registry-daemon.ts'
import { entryAt } from '../tree.ts'
import { etcdctl } from './etcdctl.ts'
import { words } from './words.ts'

function mustRun(ctx: ProgramContext): void {
  if (ctx.state.units.get('containerd.service')?.active !== 'active')
    throw refuse('failed to dial "/run/containerd/containerd.sock": connect: no such file or directory')
}

interface ImageIndex {
  readonly manifests: readonly {
    readonly digest: string
    readonly platform?: { readonly architecture: string }
    readonly annotations?: Readonly<Record<string, string>>
  }[]
}

/** The names in an archive as `docker save` or `ctr export` makes it, or in an OCI archive. */
function namesInArchive(ctx: ProgramContext, path: string): readonly string[] {
  const entry = entryAt(ctx.state.root, path)
  if (entry?.type !== 'file') throw refuse(`ctr: open ${path}: no such file or directory`)
  const member = (name: string): string | null => {
    const found = fileInTar(entry.content.bytes(), name)
    return found === null ? null : Buffer.from(found).toString()
  }
  const index = member('oci-layout') === null ? null : member('index.json')
  if (index !== null) return namesInIndex(ctx, JSON.parse(index), member)
  const manifest = member('manifest.json')
  if (manifest === null) throw refuse('ctr: unrecognized image format')
  const listed: readonly { readonly RepoTags?: readonly string[] }[] = JSON.parse(manifest)
  return listed.flatMap(({ RepoTags = [] }) => RepoTags)
}

function namesInIndex(ctx: ProgramContext, { manifests }: ImageIndex, member: (name: string) => string | null): readonly string[] {
  const own = manifests.filter(({ platform }) => platform === undefined || platform.architecture === ctx.state.machine.arch)
  if (own.length === 0) throw refuse('ctr: image might be filtered out')
  const missing = own.find(({ digest }) => member(`blobs/${digest.replace(':', '/')}`) === null)
  if (missing !== undefined) throw refuse(`ctr: content digest ${missing.digest}: not found`)
  return own.map(({ digest, annotations }) => annotations?.['io.containerd.image.name'] ?? `import-2026-01-01@${digest}`)
}

/** A registry of the fleet, found by its name in the hosts file: what it does not hold is not there, and without trust it gives nothing. */
function pullFromFleet(ctx: ProgramContext, reference: string): Output | null {
  const [, registry = '', repository = '', tag = ''] = /^([^/]+)\/(.+):([^:/]+)$/.exec(reference) ?? []
  const name = registry.replace(/:\d+$/, '')
  const line = (readText(ctx.state, '/etc/hosts') ?? '').split('\n').find((entry) => entry.split(/\s+/).slice(1).includes(name))
  const peer = line === undefined ? null : (ctx.cluster?.peerAt(line.split(/\s+/)[0] ?? '') ?? null)
  if (peer === null) return null
  if (entryAt(ctx.state.root, `/etc/containerd/certs.d/${registry}/hosts.toml`) === null)
    throw refuse(`failed to pull image "${reference}": tls: failed to verify certificate: x509: certificate signed by unknown authority`)
  if (heldDigest(peer, repository, tag) === null) throw refuse(`failed to pull image "${reference}": ${reference}: not found`)
  ctx.state = withImages(ctx.state, [reference])
  return says(`${reference}\n`)
}

function pull(ctx: ProgramContext, reference: string): Output {
  const answer = pullFromFleet(ctx, reference)
  if (answer !== null) return answer
  if (!ctx.state.internet && !imagesIn(ctx.state).includes(reference))
    throw refuse(`failed to pull image "${reference}": dial tcp: lookup: no such host`)
  ctx.state = withImages(ctx.state, [reference])
  return says(`${reference}\n`)
}

const ctr: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv, ['-n', '--namespace', '--address', '-a', '--platform', '--base-name'])
  const [noun = '', verb = '', ...names] = operands
  if (noun === 'version') return says('Client:\n  Version: 2.0.4\n')
  mustRun(ctx)
  if (!['images', 'image', 'i'].includes(noun)) return complains(`ctr: the simulated ctr does not know: ${operands.join(' ')}`)
  if (verb === 'ls' || verb === 'list')
    return says(
      [...(flags.has('-q') ? [] : ['REF TYPE DIGEST SIZE PLATFORMS LABELS']), ...imagesIn(ctx.state)].map((line) => `${line}\n`).join(''),
    )
  if (verb === 'pull') return pull(ctx, names[0] ?? '')
  if (verb === 'import') {
    for (const path of names) ctx.state = withImages(ctx.state, namesInArchive(ctx, path))
    return says()
  }
  if (verb === 'rm' || verb === 'remove' || verb === 'delete') {
    for (const name of names) ctx.state = withoutImage(ctx.state, name)
    return says()
  }
  if (verb === 'tag' || verb === 'label') {
    if (!imagesIn(ctx.state).includes(names[0] ?? '')) throw refuse(`ctr: image "${names[0]}": not found`)
    if (verb === 'tag') ctx.state = withImages(ctx.state, [names[1] ?? ''])
    return says()
  }
  return complains(`ctr: the simulated ctr does not know: ${operands.join(' ')}`)
}

const crictl: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, [
    '-r',
    '--runtime-endpoint',
    '-i',
    '--image-endpoint',
    '-o',
    '--output',
    '-c',
    '--config',
    '--name',
    '--state',
    '--tail',
    '--timeout',
  ])
  const [verb = '', name = ''] = operands
  mustRun(ctx)
  const json = (values.get('-o') ?? values.get('--output')) === 'json'
  if (verb === 'images' || verb === 'img') {
    if (json)
      return says(`${JSON.stringify({ images: imagesIn(ctx.state).map((reference) => ({ id: reference, repoTags: [reference] })) })}\n`)
    return says(
      imagesIn(ctx.state)
        .map((reference) => `${flags.has('-q') ? reference : reference.replace(/:([^:/]+)$/, ' $1')}\n`)
        .join(''),
    )
  }
  if (verb === 'pull') return pull(ctx, name)
  if (verb === 'info') return says(`${JSON.stringify({ status: { conditions: [{ type: 'RuntimeReady', status: true }] } })}\n`)
  if (verb === 'inspecti') return imagesIn(ctx.state).includes(name) ? says('{}\n') : complains(`no such image "${name}" present`)
  if (verb === 'rmi') {
    ctx.state = withoutImage(ctx.state, name)
    return says()
  }
  if (verb === 'ps')
    return says(
      staticPods(ctx, values.get('--name'))
        .map((pod) => `sim-${pod}\n`)
        .join(''),
    )
  // Of what is in pods only etcd has a program that is called there.
  if (verb === 'exec')
    return name === 'sim-etcd' && operands[2] === 'etcdctl' && staticPods(ctx, '^etcd$').length > 0
      ? etcdctl(argv.slice(argv.indexOf('etcdctl')), ctx)
      : complains(`execing command in container: container "${name}" not found`)
  return ['pods', 'logs', 'version', 'stopp', 'rmp', 'stop', 'rm'].includes(verb)
    ? says()
    : complains(`the simulated crictl does not know: ${verb}`)
}

/** The containers of static pods that run, by name; the container of a pod of kubeadm is called as its file. */
function staticPods(ctx: ProgramContext, pattern = ''): readonly string[] {
  if (ctx.state.units.get('kubelet.service')?.active !== 'active') return []
  const files = listNames(ctx.state, '/etc/kubernetes/manifests')
  return files.map((file) => file.replace(/\.yaml$/, '')).filter((pod) => new RegExp(pattern).test(pod))
}

/** Clients of containerd. */
export function registerImagePrograms(table: ProgramTable): void {
  table.register('ctr', ctr, { needsFile: true })
  table.register('crictl', crictl, { needsFile: true })
}
