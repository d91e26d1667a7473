import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fail } from '../../error/index.ts'
import type { Arch } from '../../resource/catalogue.ts'
import type { GoToolchain } from './go-toolchain.ts'
import { type RunOptions, type RunResult, run } from './process.ts'
import { type GoModule, type OwnProgram, type ProgramSet, setId } from './recipe.ts'

/** What a build needs to know of its surroundings. */
export interface BuildContext extends RunOptions {
  readonly go: GoToolchain
  readonly arch: Arch
  /** A directory of this build's own. */
  readonly work: string
  /** Unpacks distribution packages and gives the directory they are in. */
  libraries(packages: readonly string[]): Promise<string>
}

/** A module's source, ready to be built any number of times. */
export interface PreparedSource {
  readonly directory: string
  readonly module: GoModule
}

/** Fetches a set's modules and everything their programs import; nothing is compiled yet. */
export async function prepareSources(set: ProgramSet, context: BuildContext): Promise<readonly PreparedSource[]> {
  const prepared: PreparedSource[] = []
  for (const module of set.modules) {
    const directory = await copySource(set, module, context)
    await go(
      set,
      ['list', '-deps', '-f', '{{/* only fetch */}}', ...tagFlags(module), ...Object.values(module.packages)],
      directory,
      module,
      context,
    )
    prepared.push({ directory, module })
  }
  return prepared
}

/** Builds all programs of a set into `output`. */
export async function buildPrograms(
  set: ProgramSet,
  sources: readonly PreparedSource[],
  output: string,
  context: BuildContext,
): Promise<void> {
  await mkdir(output, { recursive: true })
  for (const { directory, module } of sources) await buildModule(set, module, directory, output, context)
  for (const program of set.own ?? []) await buildOwn(set, program, output, context)
}

async function buildModule(set: ProgramSet, module: GoModule, directory: string, output: string, context: BuildContext): Promise<void> {
  const flags = ['-s', '-w', ...(module.ldflags ?? []), ...(module.cgo ? ['-extldflags', '-static'] : [])].join(' ')
  const packages = Object.values(module.packages)
  const built = join(context.work, 'out')
  await mkdir(built, { recursive: true })
  await go(set, ['build', '-trimpath', ...tagFlags(module), '-ldflags', flags, '-o', `${built}/`, ...packages], directory, module, context)
  for (const [program, path] of Object.entries(module.packages))
    await rename(join(built, naturalName(module.module, path)), join(output, program))
}

async function buildOwn(set: ProgramSet, own: OwnProgram, output: string, context: BuildContext): Promise<void> {
  const directory = join(context.work, own.program)
  await mkdir(directory, { recursive: true })
  for (const [name, text] of Object.entries(own.files)) await writeFile(join(directory, name), text)
  await go(set, ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(output, own.program), '.'], directory, null, context)
}

/** The name `go build` gives a program: the last part of its import path that is not a major version. */
export function naturalName(module: string, path: string): string {
  const parts = join(module, path).split('/')
  const last = parts.at(-1) ?? ''
  return /^v\d+$/.test(last) ? (parts.at(-2) ?? last) : last
}

/** A writable copy of the module, freed from what only works in its authors' own tree. */
async function copySource(set: ProgramSet, module: GoModule, context: BuildContext): Promise<string> {
  const downloaded = await go(set, ['mod', 'download', '-json', `${module.module}@${module.version}`], context.work, null, context)
  const { Dir: cached } = JSON.parse(downloaded.stdout) as { Dir: string }
  const directory = join(context.work, module.module.replaceAll('/', '_'))
  await rm(directory, { recursive: true, force: true })
  // The module cache is read-only; the copy must not be, or it could not be changed and removed.
  const copied = await run(['cp', '-r', '--no-preserve=mode', cached, directory], context)
  if (copied.code !== 0)
    throw fail('KX_MIRROR_BUILD', { artifact: setId(set), why: `its source could not be copied to ${directory}` }, { seen: copied.tail })
  // Vendored code would be preferred over the modules the build is to use.
  for (const unwanted of ['vendor', 'go.work', 'go.work.sum']) await rm(join(directory, unwanted), { recursive: true, force: true })
  for (const patch of module.patches ?? []) await applyPatch(set, directory, patch)
  await rewriteReplaces(set, module, directory, context)
  return directory
}

async function applyPatch(
  set: ProgramSet,
  directory: string,
  patch: { readonly file: string; readonly find: string; readonly replace: string },
): Promise<void> {
  const path = join(directory, patch.file)
  const text = await readFile(path, 'utf8')
  const parts = text.split(patch.find)
  if (parts.length !== 2)
    throw fail('KX_MIRROR_BUILD', { artifact: setId(set), why: `the change to ${patch.file} applies ${parts.length - 1} times, not once` })
  await writeFile(path, parts.join(patch.replace))
}

interface GoModFile {
  readonly Replace?:
    | readonly { readonly Old: { readonly Path: string; readonly Version?: string }; readonly New: { readonly Path: string } }[]
    | null
}

async function rewriteReplaces(set: ProgramSet, module: GoModule, directory: string, context: BuildContext): Promise<void> {
  const { stdout } = await go(set, ['mod', 'edit', '-json'], directory, module, context)
  const local = ((JSON.parse(stdout) as GoModFile).Replace ?? []).filter((replace) => replace.New.Path.startsWith('.'))
  const staging = module.stagingVersion
  const edits = local.flatMap(({ Old }) =>
    staging === undefined
      ? [`-dropreplace=${Old.Path}${Old.Version === undefined ? '' : `@${Old.Version}`}`]
      : [`-replace=${Old.Path}=${Old.Path}@${staging}`],
  )
  const wanted = Object.entries(module.replace ?? {}).map(([from, to]) => `-replace=${from}=${to}`)
  const dropped = (module.unneeded ?? []).flatMap((name) => [`-droprequire=${name}`, `-dropreplace=${name}`])
  // The flags apply in their order: what is dropped was rewritten before.
  const flags = [...edits, ...wanted, ...dropped]
  if (flags.length > 0) await go(set, ['mod', 'edit', ...flags], directory, module, context)
}

const tagFlags = (module: GoModule): readonly string[] => (module.tags === undefined ? [] : ['-tags', module.tags.join(',')])

async function go(
  set: ProgramSet,
  args: readonly string[],
  cwd: string,
  module: GoModule | null,
  context: BuildContext,
): Promise<RunResult> {
  const env = {
    ...context.go.env,
    GOOS: 'linux',
    GOARCH: context.arch,
    CGO_ENABLED: module?.cgo ? '1' : '0',
    ...(await libraryPaths(module, context)),
  }
  await mkdir(cwd, { recursive: true })
  const result = await run(['go', ...args], { ...context, cwd, env })
  if (result.code !== 0)
    throw fail('KX_MIRROR_BUILD', { artifact: setId(set), why: `"go ${args[0]}" ended with ${result.code}` }, { seen: result.tail })
  return result
}

async function libraryPaths(module: GoModule | null, context: BuildContext): Promise<Readonly<Record<string, string>>> {
  if (module?.libraries === undefined) return {}
  const root = await context.libraries(module.libraries)
  const triplet = context.arch === 'amd64' ? 'x86_64-linux-gnu' : 'aarch64-linux-gnu'
  const lib = join(root, 'usr/lib', triplet)
  return { PKG_CONFIG_PATH: join(lib, 'pkgconfig'), CGO_CFLAGS: `-I${join(root, 'usr/include')}`, CGO_LDFLAGS: `-L${lib}` }
}
