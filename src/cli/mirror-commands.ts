import type { Command } from 'commander'
import { fail } from '../error/index.ts'
import {
  defaultWish,
  extraComponents,
  type MirrorEvent,
  type MirrorReport,
  type MirrorSource,
  type MirrorWish,
  makeMirror,
  mirrorContents,
  serveMirror,
} from '../lab/mirror/index.ts'
import { formatBytes, loadCatalogue } from '../resource/index.ts'
import { formatMillis } from '../util/time.ts'

interface WishFlags {
  readonly kubernetes?: readonly string[]
  readonly containerd?: readonly string[]
  readonly etcd?: readonly string[]
  readonly with?: readonly string[]
  readonly catalogue?: string
}

interface MakeFlags extends WishFlags {
  readonly source: string
  readonly fromMirror?: string
  readonly fromRegistry?: string
  readonly verify?: true
  readonly output: 'text' | 'json'
}

interface ServeFlags extends WishFlags {
  readonly address: string
  readonly port: string
  readonly registryPort: string
  readonly namespace?: string
}

/** Adds `kubexm lab mirror …` to the command line. */
export function registerMirrorCommands(program: Command): void {
  const lab =
    program.commands.find((command) => command.name() === 'lab') ?? program.command('lab').description('real test hosts on this machine')
  const group = lab.command('mirror').description('what the internet would serve, made once on this machine and served to labs')
  const command = (name: string, description: string, options: { isDefault?: boolean } = {}): Command =>
    group
      .command(name, options)
      .description(description)
      .option('--kubernetes <version...>', `Kubernetes versions (default: ${defaultWish.kubernetes.join(', ')})`)
      .option('--containerd <version...>', `containerd versions (default: ${defaultWish.containerd.join(', ')})`)
      .option('--etcd <version...>', `etcd versions (default: ${defaultWish.etcd.join(', ')} and those of Kubernetes)`)
      .option('--with <component...>', `more components: ${extraComponents.join(', ')}`)
      .option('--catalogue <file>', 'catalogue file laid over the built-in one')

  command('make', 'make what is missing; a second run finds everything and takes no time', { isDefault: true })
    .option('--source <way>', 'download, build, or auto: whatever this machine can', 'auto')
    .option('--from-mirror <url>', "fetch files from another machine's mirror")
    .option('--from-registry <host:port>', 'fetch images from the registry beside it (plain HTTP)')
    .option('--verify', 'read every file again, and make again what is damaged')
    .option('-o, --output <format>', 'text or json', 'text')
    .action(make)
  command('serve', 'serve the mirror until interrupted')
    .option('--address <ip>', 'address to listen on', '127.0.0.1')
    .option('--port <port>', 'port of the files', '8080')
    .option('--registry-port <port>', 'port of the registry', '5000')
    .option('--namespace <path>', 'network namespace to serve in, such as /run/netns/lab')
    .action(serve)
}

async function make(flags: MakeFlags): Promise<void> {
  using interrupt = onInterrupt()
  const report = await makeMirror({
    wish: wishOf(flags),
    catalogue: await loadCatalogue(flags.catalogue),
    source: sourceOf(flags),
    origin: {
      ...(flags.fromMirror === undefined ? {} : { mirror: flags.fromMirror }),
      ...(flags.fromRegistry === undefined ? {} : { imageMirror: flags.fromRegistry, plainHttp: true }),
    },
    verify: flags.verify === true,
    signal: interrupt.signal,
    onEvent: (event) => void process.stderr.write(flags.output === 'json' ? '' : line(event)),
  })
  process.stdout.write(flags.output === 'json' ? `${JSON.stringify(summary(report), null, 2)}\n` : text(report))
  const [first] = report.failed
  if (first !== undefined) throw first.error
}

async function serve(flags: ServeFlags): Promise<void> {
  using interrupt = onInterrupt()
  const catalogue = await loadCatalogue(flags.catalogue)
  await using served = await serveMirror({
    images: mirrorContents(catalogue, wishOf(flags)).images.map(({ image }) => image),
    catalogue,
    address: flags.address,
    port: port(flags.port),
    registryPort: port(flags.registryPort),
    ...(flags.namespace === undefined ? {} : { namespace: flags.namespace }),
  })
  process.stdout.write(`files     ${served.files}\npackages  ${served.packages}\nregistry  ${served.registry}\n`)
  await new Promise<void>((resolve) => interrupt.signal.addEventListener('abort', () => resolve(), { once: true }))
}

function wishOf(flags: WishFlags): MirrorWish {
  const unknown = (flags.with ?? []).find((name) => !extraComponents.includes(name))
  if (unknown !== undefined)
    throw fail('KX_USAGE', {
      what: `the mirror cannot make "${unknown}"; it can make ${extraComponents.join(', ')}`,
      command: 'lab mirror',
    })
  const versions = (given: readonly string[] | undefined, otherwise: readonly string[]): readonly string[] =>
    given?.map((version) => version.replace(/^v?/, 'v')) ?? otherwise
  return {
    kubernetes: versions(flags.kubernetes, defaultWish.kubernetes),
    containerd: versions(flags.containerd, defaultWish.containerd),
    etcd: versions(flags.etcd, defaultWish.etcd),
    extras: flags.with ?? [],
  }
}

function sourceOf({ source, fromMirror }: MakeFlags): MirrorSource {
  if (fromMirror !== undefined) return 'download'
  if (source === 'auto' || source === 'download' || source === 'build') return source
  throw fail('KX_USAGE', { what: `"${source}" is neither auto, download nor build`, command: 'lab mirror' })
}

function port(value: string): number {
  const number = Number(value)
  if (Number.isInteger(number) && number >= 0 && number < 65_536) return number
  throw fail('KX_USAGE', { what: `"${value}" is not a port`, command: 'lab mirror serve' })
}

/** Ctrl-C ends the work in order: what is made stays made, what is half made is removed. */
function onInterrupt(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController()
  const stop = (): void => controller.abort(fail('KX_CANCELLED', {}))
  process.once('SIGINT', stop).once('SIGTERM', stop)
  return { signal: controller.signal, [Symbol.dispose]: () => void process.off('SIGINT', stop).off('SIGTERM', stop) }
}

function line(event: MirrorEvent): string {
  switch (event.type) {
    case 'item.started':
      return `· ${event.item} (${event.how})\n`
    case 'item.waiting':
      return `· ${event.item}: another process is making it\n`
    case 'item.finished':
      return `✓ ${event.item}  ${formatBytes(event.bytes)} in ${formatMillis(event.ms)}${event.standIn === undefined ? '' : `  (${event.standIn})`}\n`
    case 'item.failed':
      return `✗ ${event.item}: ${event.error.message}\n`
    default:
      return ''
  }
}

const text = ({ layout, records, made, failed, ms }: MirrorReport): string =>
  `${layout.root}: ${records.length} files and images ready, ${made} parts made now, ${failed.length} failed, ${formatMillis(ms)}\n`

const summary = ({ layout, records, made, failed, ms }: MirrorReport): object => ({
  root: layout.root,
  made,
  ms: Math.round(ms),
  items: records.map(({ id, origin, ms: took, outputs, standIn }) => ({
    id,
    origin,
    ms: took,
    outputs,
    ...(standIn === undefined ? {} : { standIn }),
  })),
  failed: failed.map(({ item, error }) => ({ item, code: error.code, problem: error.message })),
})
