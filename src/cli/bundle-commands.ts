import { join } from 'node:path'
import type { Command } from 'commander'
import { loadCluster } from '../config/index.ts'
import { fail } from '../error/index.ts'
import {
  type Arch,
  type Artifact,
  ArtifactCache,
  announcedSize,
  artifactsFor,
  type Catalogue,
  cacheRoot,
  createBundle,
  ensureArtifacts,
  findArtifact,
  formatBytes,
  HttpClient,
  loadCatalogue,
  locate,
  locateImage,
  type Origin,
  originFromEnvironment,
  type ProvisionEvent,
  type ProvisionOptions,
  shapeOf,
  verifyBundle,
} from '../resource/index.ts'
import { formatMillis } from '../util/time.ts'

interface SourceFlags {
  readonly file: string
  readonly catalogue?: string
  readonly mirror?: string
  readonly registryMirror?: string
  readonly plainHttp?: true
  readonly arch: string
}

/** Adds `kubexm bundle …` and `kubexm get artifacts` to the command line. */
export function registerBundleCommands(program: Command): void {
  const bundle = program.command('bundle').description('everything a config needs, in one file')
  withSource(bundle.command('create').description('fetch everything a config needs for all its architectures, and put it into one file'))
    .requiredOption('-o, --output <file>', 'the bundle to write, such as b.tar.zst')
    .action(create)
  bundle
    .command('verify <bundle>')
    .description('prove a bundle whole, and complete for a config')
    .option('-f, --file <config>', 'config it must be complete for')
    .option('--catalogue <file>', 'catalogue file laid over the built-in one')
    .option('--arch <arch>', 'architecture of hosts whose config names none', 'amd64')
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
  command
    .requiredOption('-f, --file <config>', 'config file')
    .option('--catalogue <file>', 'catalogue file laid over the built-in one')
    .option('--mirror <url>', 'fetch files from a mirror: <url>/<host>/<path>')
    .option('--registry-mirror <host:port>', 'pull images from this registry instead of their own')
    .option('--plain-http', 'the registry mirror speaks plain HTTP')
    .option('--arch <arch>', 'architecture of hosts whose config names none', 'amd64')

async function create(flags: SourceFlags & { readonly output: string }): Promise<void> {
  const { name, artifacts, catalogue } = await needs(flags)
  using http = new HttpClient()
  const provided = await ensureArtifacts(artifacts, {
    ...provisioning(flags, catalogue, http),
    onEvent: (event) => void process.stderr.write(line(event)),
  })
  const { size, sha256, index } = await createBundle(flags.output, name, provided)
  process.stdout.write(`${flags.output}: ${index.entries.length} artifacts, ${formatBytes(size)}, sha256 ${sha256}\n`)
}

async function verify(file: string, flags: Omit<SourceFlags, 'file'> & { readonly file?: string }): Promise<void> {
  const needed = flags.file === undefined ? [] : (await needs({ ...flags, file: flags.file })).artifacts
  const { index, absent, damaged, missing } = await verifyBundle(file, needed)
  const faults = [
    ...absent.map((id) => `${id} is in its index, but not in it`),
    ...damaged.map(({ id, expected, got }) => `${id} is damaged: expected ${expected}, got ${got}`),
    ...missing.map((id) => `${id} is needed by ${flags.file}, but not in it`),
  ]
  if (faults.length > 0) throw fail('KX_BUNDLE', { file, why: faults[0] ?? '' }, { seen: faults.join('\n') })
  process.stdout.write(
    `${file} is whole: ${index.entries.length} artifacts of cluster ${index.cluster}${flags.file === undefined ? '' : `; ${flags.file} needs nothing more`}\n`,
  )
}

async function list(flags: SourceFlags & { readonly output: string }): Promise<void> {
  const { artifacts, catalogue } = await needs(flags)
  using http = new HttpClient()
  const options = provisioning(flags, catalogue, http)
  const rows = await Promise.all(artifacts.map((artifact) => describe(artifact, options)))
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
    case 'image':
      return locateImage(catalogue, artifact.image, origin)
    case 'chart':
    case 'manifest':
      return locate(catalogue, artifact.url, origin)
    default:
      return locate(catalogue, artifact.file.url, origin)
  }
}

async function needs(
  flags: Pick<SourceFlags, 'file' | 'catalogue' | 'arch'>,
): Promise<{ readonly name: string; readonly artifacts: readonly Artifact[]; readonly catalogue: Catalogue }> {
  const arch: Arch = flags.arch === 'arm64' ? 'arm64' : 'amd64'
  const [cluster, catalogue] = await Promise.all([loadCluster(flags.file), loadCatalogue(flags.catalogue)])
  return {
    name: cluster.metadata.name,
    artifacts: artifactsFor(
      shapeOf(cluster, () => arch),
      catalogue,
    ),
    catalogue,
  }
}

function provisioning(flags: SourceFlags, catalogue: Catalogue, http: HttpClient): ProvisionOptions {
  const origin: Origin = {
    ...originFromEnvironment(process.env),
    ...(flags.mirror === undefined ? {} : { mirror: flags.mirror }),
    ...(flags.registryMirror === undefined ? {} : { imageMirror: flags.registryMirror }),
  }
  return {
    cache: new ArtifactCache(join(cacheRoot(), 'artifacts')),
    catalogue,
    origin,
    http,
    registry: () => (flags.plainHttp ? { plainHttp: true } : {}),
  }
}

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
