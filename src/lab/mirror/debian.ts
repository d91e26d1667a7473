import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fail } from '../../error/index.ts'
import { hashFile } from '../../resource/atomic-file.ts'
import { type RunOptions, run } from './process.ts'

/** A package of the distribution: where it is, and what it must hash to. */
export interface DebianPackage {
  readonly name: string
  readonly url: string
  readonly fileName: string
  readonly size: number
  readonly sha256: string
}

/** The named packages and all they depend on, as if nothing were installed: what an empty root would need. */
export async function resolvePackages(names: readonly string[], options: RunOptions = {}): Promise<readonly DebianPackage[]> {
  const list = async (): Promise<{ code: number; stdout: string; tail: string }> =>
    run(
      [
        'apt-get',
        'install',
        '--print-uris',
        '-y',
        '-qq',
        '--no-install-recommends',
        '-o',
        'Dir::State::status=/dev/null',
        '-o',
        'Acquire::ForceHash=SHA256',
        ...names,
      ],
      options,
    )
  let listed = await list()
  if (listed.code !== 0) {
    // A fresh machine has no package lists yet.
    await run(['apt-get', 'update', '-qq'], options)
    listed = await list()
  }
  const found = listed.stdout.split('\n').flatMap(parseUri)
  if (listed.code !== 0 || found.length === 0)
    throw fail('KX_MIRROR_PACKAGES', { packages: names.join(' '), why: 'apt-get does not know them' }, { seen: listed.tail })
  return found
}

/** One line of `--print-uris`: `'url' file size SHA256:hash`. */
export function parseUri(line: string): readonly DebianPackage[] {
  const [, url, fileName, size, sha256] = /^'([^']+)' (\S+\.deb) (\d+) SHA256:([0-9a-f]{64})$/.exec(line.trim()) ?? []
  if (url === undefined || fileName === undefined || size === undefined || sha256 === undefined) return []
  return [{ name: fileName.slice(0, fileName.indexOf('_')), url, fileName, size: Number(size), sha256 }]
}

/** Fetches packages into a directory through apt, which knows the distribution's sources, and checks each against its index. */
export async function fetchPackages(
  packages: readonly DebianPackage[],
  directory: string,
  options: RunOptions = {},
): Promise<readonly string[]> {
  await mkdir(directory, { recursive: true })
  const present = await Promise.all(packages.map((wanted) => isWhole(join(directory, wanted.fileName), wanted)))
  const missing = packages.filter((_, i) => present[i] === false)
  if (missing.length > 0) {
    const incoming = await mkdirFresh(join(directory, `.incoming-${process.pid}-${randomBytes(4).toString('hex')}`))
    const specifications = missing.map((wanted) => `${wanted.name}=${versionIn(wanted.fileName)}`)
    // apt drops its privileges for downloads and then cannot write into a directory of root.
    const result = await run(['apt-get', 'download', '-qq', '-o', 'APT::Sandbox::User=root', ...specifications], {
      ...options,
      cwd: incoming,
    })
    if (result.code !== 0)
      throw fail(
        'KX_MIRROR_PACKAGES',
        { packages: missing.map(({ name }) => name).join(' '), why: 'apt-get download failed' },
        { seen: result.tail },
      )
    for (const wanted of missing) await admit(join(incoming, wanted.fileName), join(directory, wanted.fileName), wanted)
    await rm(incoming, { recursive: true, force: true })
  }
  return packages.map((wanted) => join(directory, wanted.fileName))
}

/** Unpacks packages over each other; maintainer scripts are not run. */
export async function unpackPackages(files: readonly string[], directory: string, options: RunOptions = {}): Promise<void> {
  await mkdir(directory, { recursive: true })
  for (const file of files) {
    const result = await run(['dpkg-deb', '-x', file, directory], options)
    if (result.code !== 0)
      throw fail('KX_MIRROR_PACKAGES', { packages: basename(file), why: 'dpkg-deb cannot unpack it' }, { seen: result.tail })
  }
}

async function mkdirFresh(directory: string): Promise<string> {
  await rm(directory, { recursive: true, force: true })
  await mkdir(directory, { recursive: true })
  return directory
}

async function isWhole(file: string, wanted: DebianPackage): Promise<boolean> {
  const found = await stat(file).catch(() => null)
  return found !== null && found.size === wanted.size && (await hashFile(file)).sha256 === wanted.sha256
}

async function admit(from: string, to: string, wanted: DebianPackage): Promise<void> {
  const names = await readdir(join(from, '..'))
  if (!names.includes(wanted.fileName))
    throw fail('KX_MIRROR_PACKAGES', { packages: wanted.name, why: `${wanted.fileName} did not arrive` })
  const { sha256 } = await hashFile(from)
  if (sha256 !== wanted.sha256) throw fail('KX_CHECKSUM', { what: wanted.fileName, expected: wanted.sha256, got: sha256 })
  await rename(from, to)
}

/** `1:2.66-4+deb12u3` of `libcap2_1%3a2.66-4+deb12u3_amd64.deb`. */
const versionIn = (fileName: string): string => decodeURIComponent(fileName.split('_')[1] ?? '')
