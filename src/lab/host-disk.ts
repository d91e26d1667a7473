import { existsSync } from 'node:fs'
import { chmod, chown, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { run } from './command.ts'
import { keyFilesOf } from './keys.ts'
import type { LabPaths } from './paths.ts'
import { guestDir, labUsers, userCaPath } from './root-recipe.ts'
import { smallCpuinfo, smallMeminfo } from './small-host.ts'
import type { HostRecord, LabRecord } from './types.ts'

interface PlacedFile {
  readonly path: string
  readonly content: string
  readonly mode?: number
  readonly uid?: number
}

/** Makes the disks of a host that are not there yet: what it has that the root image does not. They last until the host is removed. */
export async function prepareDisk(paths: LabPaths, lab: LabRecord, host: HostRecord): Promise<void> {
  const disk = paths.host(host.name)
  if (existsSync(disk.varLib)) return
  for (const path of [disk.upper, disk.work, disk.root]) await mkdir(path, { recursive: true, mode: 0o755 })
  await sameAttributes(disk.upper, lab.rootImage)
  for (const file of await hostFiles(paths, host)) await place(lab.rootImage, disk.upper, file)
  // Container runtimes lay overlays there, which an overlay does not carry: /var/lib is a disk of its own. Renamed last, as the mark of completeness.
  await run(['sh', '-ec', 'rm -rf "$2.new"; cp -a "$1" "$2.new"; mv "$2.new" "$2"', 'sh', join(lab.rootImage, 'var/lib'), disk.varLib])
}

async function hostFiles(paths: LabPaths, host: HostRecord): Promise<PlacedFile[]> {
  const { hostKeys, authorized, userCa } = await keyFilesOf(paths, host.name)
  const files: PlacedFile[] = [
    { path: '/etc/hostname', content: `${host.name}\n` },
    // As Debian's installer writes it.
    { path: '/etc/hosts', content: `127.0.0.1\tlocalhost\n127.0.1.1\t${host.name}\n\n::1\tlocalhost ip6-localhost ip6-loopback\n` },
    { path: '/etc/machine-id', content: `${host.uuid.replaceAll('-', '')}\n`, mode: 0o444 },
    { path: userCaPath, content: userCa },
    ...hostKeys.map(({ name, content, secret }) => ({ path: `/etc/ssh/${name}`, content, mode: secret ? 0o600 : 0o644 })),
    { path: '/root/.ssh/authorized_keys', content: authorized, mode: 0o600 },
    ...labUsers.map(({ name, uid }) => ({ path: `/home/${name}/.ssh/authorized_keys`, content: authorized, mode: 0o600, uid })),
  ]
  if (host.memoryMiB !== undefined) {
    files.push({ path: `${guestDir}/meminfo`, content: smallMeminfo(await readFile('/proc/meminfo', 'utf8'), host.memoryMiB) })
  }
  if (host.cpus !== undefined)
    files.push({ path: `${guestDir}/cpuinfo`, content: smallCpuinfo(await readFile('/proc/cpuinfo', 'utf8'), host.cpus) })
  return files
}

async function place(image: string, upper: string, { path, content, mode = 0o644, uid = 0 }: PlacedFile): Promise<void> {
  await placeDirectory(image, upper, dirname(path), uid)
  const target = join(upper, path)
  await writeFile(target, content)
  await chmod(target, mode)
  await chown(target, uid, uid)
}

/** A directory of the upper layer hides the attributes of the one below it, so that it must have the same. */
async function placeDirectory(image: string, upper: string, path: string, uid: number): Promise<void> {
  const target = join(upper, path)
  if (existsSync(target)) return
  await placeDirectory(image, upper, dirname(path), uid)
  await mkdir(target)
  if (existsSync(join(image, path))) return sameAttributes(target, join(image, path))
  await chmod(target, 0o700)
  await chown(target, uid, uid)
}

async function sameAttributes(target: string, model: string): Promise<void> {
  const { mode, uid, gid } = await stat(model)
  await chown(target, uid, gid)
  await chmod(target, mode & 0o7777)
}
