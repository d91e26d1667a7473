import { lstat, readdir, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Layer, writeLayer } from '../../resource/oci/layer.ts'
import { bytesEntry, fileEntry, type TarEntry } from '../../resource/tar.ts'
import { hashOf } from '../../util/hash.ts'
import { fetchPackages, resolvePackages, unpackPackages } from './debian.ts'
import { type RunOptions, run } from './process.ts'
import type { LayerRecipe } from './recipe.ts'

/** Where a layer's parts are found. */
export interface LayerContext extends RunOptions {
  /** A directory for layers and unpacked packages. */
  readonly work: string
  /** Where downloaded packages are kept. */
  readonly packages: string
  program(name: string): string
}

/** Packages of the closure that only matter to an installed system: scripting, users, accounts, the init system. */
const systemOnly =
  /^(perl|perl-.*|lib.*-perl|dpkg|tar|debconf|adduser|passwd|login|init-system-helpers|usrmerge|sysvinit-utils|lsb-base|libpam.*|libaudit.*|libsemanage.*|libsepol.*|libdb5.*|libgdbm.*|gcc-.*-base|ucf|sensible-utils|mount|util-linux.*|dbus.*)$/

/** Documentation, and what the init system and the package manager of a host would use. */
const unwantedPath =
  /^(usr\/share\/(?!nginx\/|$)|usr\/include\/|usr\/lib\/(systemd|tmpfiles\.d|sysusers\.d|udev)\/|etc\/(init\.d|cron|logrotate\.d|default|ufw|apparmor\.d|insserv)|usr\/lib\/[^/]+\/(gconv|audit|perl)\/|var\/)/

/** Writes the layer of a recipe. */
export async function makeLayer(recipe: LayerRecipe, context: LayerContext): Promise<Layer> {
  const entries: TarEntry[] = []
  for (const [path, mode] of Object.entries(recipe.directories ?? {})) entries.push({ path, mode, content: { type: 'directory' } })
  for (const [path, text] of Object.entries(recipe.texts ?? {})) entries.push(bytesEntry(path, text))
  for (const [path, program] of Object.entries(recipe.programs ?? {})) entries.push(await fileEntry(path, context.program(program), 0o755))
  if (recipe.packages !== undefined) entries.push(...(await packageEntries(recipe.packages, context)))
  // A link named in the recipe wins over the same name from a package, so links come last.
  for (const [path, target] of Object.entries(recipe.links ?? {})) entries.push({ path, mode: 0o777, content: { type: 'symlink', target } })
  return await writeLayer(join(context.work, `${hashOf({ ...recipe })}.tar`), entries)
}

/** Whether a recipe puts anything into a layer at all. */
export const isEmptyLayer = (recipe: LayerRecipe): boolean => Object.values(recipe).every((part) => Object.keys(part).length === 0)

async function packageEntries(names: readonly string[], context: LayerContext): Promise<readonly TarEntry[]> {
  const closure = (await resolvePackages(names, context)).filter((candidate) => !systemOnly.test(candidate.name))
  const files = await fetchPackages(closure, context.packages, context)
  const root = join(context.work, `root-${hashOf([...names])}`)
  await rm(root, { recursive: true, force: true })
  await unpackPackages(files, root, context)
  const found = new Map<string, TarEntry>()
  for await (const entry of walk(root, '')) found.set(entry.path, entry)
  for (const top of ['bin', 'sbin', 'lib', 'lib64'])
    found.set(top, { path: top, mode: 0o777, content: { type: 'symlink', target: `usr/${top}` } })
  await addApplets(root, found, context)
  addNginxModules(found)
  return [...found.values()]
}

/** Every file below a directory, as it lies in a system whose /bin, /sbin and /lib are links into /usr. */
async function* walk(root: string, below: string): AsyncGenerator<TarEntry> {
  for (const name of (await readdir(join(root, below))).sort()) {
    const relative = below === '' ? name : `${below}/${name}`
    const path = relative.replace(/^(bin|sbin|lib|lib64)\//, 'usr/$1/')
    const file = join(root, relative)
    const found = await lstat(file)
    if (unwantedPath.test(`${path}${found.isDirectory() ? '/' : ''}`)) continue
    if (found.isDirectory()) yield* walk(root, relative)
    else if (found.isSymbolicLink()) yield { path, mode: 0o777, content: { type: 'symlink', target: await readlink(file) } }
    else if (found.isFile()) yield await fileEntry(path, file, (found.mode & 0o755) | 0o444)
  }
}

/** busybox gives the shell and the small tools that its packages' programs do not bring themselves. */
async function addApplets(root: string, found: Map<string, TarEntry>, context: LayerContext): Promise<void> {
  const busybox = [...found.keys()].find((path) => /^usr\/s?bin\/busybox$/.test(path))
  if (busybox === undefined) return
  const listed = await run([join(root, found.has('usr/bin/busybox') ? 'bin/busybox' : busybox), '--list'], {
    ...(context.signal === undefined ? {} : { signal: context.signal }),
  })
  for (const applet of listed.stdout.split('\n').filter((name) => /^[\w.[-]+$/.test(name))) {
    if (found.has(`usr/bin/${applet}`) || found.has(`usr/sbin/${applet}`)) continue
    found.set(`usr/bin/${applet}`, { path: `usr/bin/${applet}`, mode: 0o777, content: { type: 'symlink', target: 'busybox' } })
  }
}

/** The package's maintainer script would enable its modules; here it is done by hand. */
function addNginxModules(found: Map<string, TarEntry>): void {
  for (const path of [...found.keys()]) {
    const [, name] = /^usr\/share\/nginx\/modules-available\/(.+)\.conf$/.exec(path) ?? []
    if (name === undefined) continue
    const link = `etc/nginx/modules-enabled/50-${name}.conf`
    found.set(link, { path: link, mode: 0o777, content: { type: 'symlink', target: `/${path}` } })
  }
}
