import type { Command } from 'commander'
import { originFor } from '../app/index.ts'
import { type Cluster, loadCluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import {
  type Arch,
  type Artifact,
  ArtifactCache,
  announcedSize,
  artifactRoot,
  artifactsFor,
  type Catalogue,
  createBundle,
  ensureArtifacts,
  fetchPackageFiles,
  findArtifact,
  formatBytes,
  HttpClient,
  loadCatalogue,
  locate,
  locateImage,
  type Origin,
  type ProvisionEvent,
  type ProvisionOptions,
  parsePackageSource,
  shapeOf,
  verifyBundle,
} from '../resource/index.ts'
import { formatMillis } from '../util/time.ts'
import { examples } from './cluster-commands.ts'
import { oneOf, type SourceOptions, sourcesOf, withSourceOptions } from './cluster-options.ts'

interface SourceFlags extends SourceOptions {
  readonly file: string
  readonly arch: Arch
}

/** Adds `kubexm bundle …` and `kubexm get artifacts` to the command line. */
export function registerBundleCommands(program: Command): void {
  const bundle = program.command('bundle').description('everything a config needs, in one file')
  withSource(bundle.command('create').description('fetch everything a config needs for all its architectures, and put it into one file'))
    .requiredOption('-o, --output <file>', 'the bundle to write, such as b.tar.zst')
    .option(
      '--packages <distribution=source...>',
      'also packages for hosts without a repository: "debian-12=deb https://mirror.example.com/debian bookworm main", or rocky-9=/directory/of/rpms',
    )
    .addHelpText('after', examples('bundle create -f cluster.yaml -o b.tar.zst', 'create cluster -f cluster.yaml --bundle b.tar.zst'))
    .action(create)
  bundle
    .command('verify <bundle>')
    .description('prove a bundle whole, and complete for a config')
    .option('-f, --file <config>', 'config it must be complete for')
    .option('--catalogue <file>', 'catalogue file laid over the built-in one')
    .option('--arch <arch>', 'architecture of hosts whose config names none', oneOf('amd64', 'arm64'), 'amd64')
    .action(verify)
}

/** Adds `kubexm get artifacts`. */
export function registerArtifactCommands(program: Command): void {
  const get = program.commands.find((command) => command.name() === 'get') ?? program.command('get').description('show what there is')
  withSource(get.command('artifacts').description('show what a config needs, with sizes and sources'))
    .option('-o, --output <format>', 'text or json', 'text')
    .action(list)
}

const withSource = (command: Command): Command =>
  withSourceOptions(command)
    .requiredOption('-f, --file <config>', 'config file')
    .option('--arch <arch>', 'architecture of hosts whose config names none', oneOf('amd64', 'arm64'), 'amd64')

async function create(flags: SourceFlags & { readonly output: string; readonly packages?: readonly string[] }): Promise<void> {
  const needed = await needs(flags)
  const sources = (flags.packages ?? []).map(parsePackageSource)
  using http = new HttpClient()
  const options = provisioning(needed, flags, http)
  const provided = await ensureArtifacts(needed.artifacts, { ...options, onEvent: (event) => void process.stderr.write(line(event)) })
  const packages = await fetchPackageFiles(sources, packageNames(needed.artifacts), archesOf(needed.artifacts), options)
  const { size, sha256, index } = await createBundle(flags.output, needed.cluster.metadata.name, [...provided, ...packages])
  const brought = packages.length === 0 ? '' : `, ${packages.length} of them packages`
  process.stdout.write(`${flags.output}: ${index.entries.length} artifacts${brought}, ${formatBytes(size)}, sha256 ${sha256}\n`)
}

/** What hosts with deb install, by the names they have there. */
const packageNames = (artifacts: readonly Artifact[]): readonly string[] => [
  ...new Set(artifacts.flatMap((artifact) => (artifact.kind === 'package' ? artifact.deb : []))),
]

const archesOf = (artifacts: readonly Artifact[]): readonly Arch[] => [
  ...new Set(artifacts.flatMap((artifact) => ('file' in artifact ? [artifact.file.arch] : []))),
]

async function verify(file: string, flags: Omit<SourceFlags, 'file'> & { readonly file?: string }): Promise<void> {
  const needed = flags.file === undefined ? [] : (await needs({ ...flags, file: flags.file })).artifacts
  const { index, absent, damaged, missing } = await verifyBundle(file, needed)
  const faults = [
    ...absent.map((id) => `${id} is in its index, but not in it`),
    ...damaged.map(({ id, expected, got }) => `${id} is damaged: expected ${expected}, got ${got}`),
    ...missing.map((id) => `${id} is needed by ${flags.file}, but not in it`),
  ]
  if (faults.length > 0) throw fail('KX_BUNDLE', { file, why: faults[0] ?? '' }, { seen: faults.join('\n') })
  const systems = new Set(index.entries.flatMap(({ key }) => /^package:([^/]+)/.exec(key)?.[1] ?? []))
  process.stdout.write(
    [
      `${file} is whole: ${index.entries.length} artifacts of cluster ${index.cluster}`,
      ...(systems.size === 0 ? [] : [`packages for ${[...systems].join(', ')}`]),
      ...(flags.file === undefined ? [] : [`${flags.file} needs nothing more`]),
    ]
      .join('; ')
      .concat('\n'),
  )
}

async function list(flags: SourceFlags & { readonly output: string }): Promise<void> {
  const needed = await needs(flags)
  using http = new HttpClient()
  const options = provisioning(needed, flags, http)
  const rows = await Promise.all(needed.artifacts.map((artifact) => describe(artifact, options)))
  if (flags.output === 'json') return void process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`)
  const width = Math.max(...rows.map(({ id }) => id.length))
  for (const { id, kind, size, cached, source, hosts } of rows)
    process.stdout.write(
      `${id.padEnd(width)}  ${kind.padEnd(8)} ${(size === null ? '-' : formatBytes(size)).padStart(10)}  ${cached ? 'here ' : 'fetch'}  ${hosts.join(',')}  ${source}\n`,
    )
}

async function describe(
  artifact: Artifact,
  options: ProvisionOptions,
): Promise<{ id: string; kind: string; size: number | null; cached: boolean; source: string; hosts: readonly string[] }> {
  const { id, kind, hosts } = artifact
  const found = await findArtifact(artifact, options)
  const source = sourceOf(artifact, options.catalogue, options.origin)
  return { id, kind, size: found?.size ?? (await announcedSize(artifact, options)), cached: found !== null, source, hosts }
}

function sourceOf(artifact: Artifact, catalogue: Catalogue, origin: Origin): string {
  switch (artifact.kind) {
    case 'package':
      return `package manager: ${[...new Set([...artifact.deb, ...artifact.rpm])].join(' ')}`
    case 'package-file':
      return 'bundle'
    case 'image':
      return locateImage(catalogue, artifact.image, origin)
    case 'chart':
    case 'manifest':
      return locate(catalogue, artifact.url, origin)
    default:
      return locate(catalogue, artifact.file.url, origin)
  }
}

interface Needs {
  readonly cluster: Cluster
  readonly artifacts: readonly Artifact[]
  readonly catalogue: Catalogue
}

async function needs(flags: Pick<SourceFlags, 'file' | 'catalogue' | 'arch'>): Promise<Needs> {
  const [cluster, catalogue] = await Promise.all([loadCluster(flags.file), loadCatalogue(flags.catalogue)])
  const shape = shapeOf(cluster, () => flags.arch)
  return { cluster, artifacts: artifactsFor(shape, catalogue), catalogue }
}

const provisioning = ({ cluster, catalogue }: Needs, flags: SourceFlags, http: HttpClient): ProvisionOptions => ({
  cache: new ArtifactCache(artifactRoot()),
  catalogue,
  origin: originFor(cluster, sourcesOf(flags)),
  http,
})

function line(event: ProvisionEvent): string {
  switch (event.type) {
    case 'artifact.finished':
      return `✓ ${event.id}  ${formatBytes(event.size)}\n`
    case 'artifact.retrying':
      return `· ${event.id}: ${event.error.message}; trying again\n`
    case 'artifact.unverified':
      return `! ${event.id}: its source publishes no checksum; ${event.sha256} is kept\n`
    case 'progress':
      return process.stderr.isTTY === true
        ? `\r${formatBytes(event.done)}${event.total === null ? '' : ` of ${formatBytes(event.total)}`}, ${formatBytes(event.rate)}/s${event.eta === null ? '' : `, ${formatMillis(event.eta)} left`}\u001b[K\r`
        : ''
    default:
      return ''
  }
}
