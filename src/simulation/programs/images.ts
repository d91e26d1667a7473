import type { Output } from '../../runner/index.ts'
import { fileInTar } from '../archive.ts'
import { Content } from '../content.ts'
import { listNames, removePath, writeFile } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { refuse } from '../refusal.ts'
import { entryAt } from '../tree.ts'
import { words } from './words.ts'

const store = '/var/lib/containerd/simulated-images'

const pathOf = (reference: string): string => `${store}/${encodeURIComponent(reference)}`

/** The images of the host's containerd; they go with its data directory, as the real ones do. */
export const imagesOf = (ctx: ProgramContext): readonly string[] => listNames(ctx.state, store).map(decodeURIComponent)

function add(ctx: ProgramContext, references: readonly string[]): void {
  for (const reference of references) ctx.state = writeFile(ctx.state, pathOf(reference), new Content(''), { mode: '0600' })
}

function mustRun(ctx: ProgramContext): void {
  if (ctx.state.units.get('containerd.service')?.active !== 'active')
    throw refuse('failed to dial "/run/containerd/containerd.sock": connect: no such file or directory')
}

/** The names in an archive as `docker save` or `ctr export` makes it. */
function namesInArchive(ctx: ProgramContext, path: string): readonly string[] {
  const entry = entryAt(ctx.state.root, path)
  if (entry?.type !== 'file') throw refuse(`ctr: open ${path}: no such file or directory`)
  const manifest = fileInTar(entry.content.bytes(), 'manifest.json')
  if (manifest === null) throw refuse('ctr: unrecognized image format')
  const listed: readonly { readonly RepoTags?: readonly string[] }[] = JSON.parse(Buffer.from(manifest).toString())
  return listed.flatMap(({ RepoTags = [] }) => RepoTags)
}

function pull(ctx: ProgramContext, reference: string): Output {
  if (!ctx.state.internet && !imagesOf(ctx).includes(reference))
    throw refuse(`failed to pull image "${reference}": dial tcp: lookup: no such host`)
  add(ctx, [reference])
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
      [...(flags.has('-q') ? [] : ['REF TYPE DIGEST SIZE PLATFORMS LABELS']), ...imagesOf(ctx)].map((line) => `${line}\n`).join(''),
    )
  if (verb === 'pull') return pull(ctx, names[0] ?? '')
  if (verb === 'import') {
    for (const path of names) add(ctx, namesInArchive(ctx, path))
    return says()
  }
  if (verb === 'rm' || verb === 'remove' || verb === 'delete') {
    for (const name of names) ctx.state = removePath(ctx.state, pathOf(name), false)
    return says()
  }
  if (verb === 'tag') {
    if (!imagesOf(ctx).includes(names[0] ?? '')) throw refuse(`ctr: image "${names[0]}": not found`)
    add(ctx, [names[1] ?? ''])
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
  ])
  const [verb = '', name = ''] = operands
  mustRun(ctx)
  const json = (values.get('-o') ?? values.get('--output')) === 'json'
  if (verb === 'images' || verb === 'img') {
    if (json) return says(`${JSON.stringify({ images: imagesOf(ctx).map((reference) => ({ id: reference, repoTags: [reference] })) })}\n`)
    return says(
      imagesOf(ctx)
        .map((reference) => `${flags.has('-q') ? reference : reference.replace(/:([^:/]+)$/, ' $1')}\n`)
        .join(''),
    )
  }
  if (verb === 'pull') return pull(ctx, name)
  if (verb === 'info') return says(`${JSON.stringify({ status: { conditions: [{ type: 'RuntimeReady', status: true }] } })}\n`)
  if (verb === 'inspecti') return imagesOf(ctx).includes(name) ? says('{}\n') : complains(`no such image "${name}" present`)
  if (verb === 'rmi') {
    ctx.state = removePath(ctx.state, pathOf(name), false)
    return says()
  }
  return ['ps', 'pods', 'version', 'stopp', 'rmp', 'stop', 'rm'].includes(verb)
    ? says()
    : complains(`the simulated crictl does not know: ${verb}`)
}

/** Clients of containerd. */
export function registerImagePrograms(table: ProgramTable): void {
  table.register('ctr', ctr, { needsFile: true })
  table.register('crictl', crictl, { needsFile: true })
}
