import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { withFileLock } from '../resource/file-lock.ts'
import { dedent } from '../util/dedent.ts'
import { hashOf } from '../util/hash.ts'
import { run } from './command.ts'
import { debianMirror } from './debian-mirror.ts'
import { indexPackages } from './package-repository.ts'
import { labCacheDir } from './paths.ts'
import { labPassword, labUsers, repositoryPath, rootRecipe } from './root-recipe.ts'
import type { OnProgress } from './types.ts'

// Raised when the way an image is built changes without a change of the recipe.
const builderVersion = 1

/** Where the root image of the present recipe is, or will be. */
export const rootImagePath = (): string =>
  join(labCacheDir(), `rootfs-${hashOf({ recipe: rootRecipe, users: labUsers.map(({ ...user }) => user), builderVersion }).slice(0, 16)}`)

/** The path of the root image; it is built first where it is missing, by one process at a time. */
export async function ensureRootImage(onProgress: OnProgress): Promise<string> {
  const image = rootImagePath()
  if (existsSync(image)) return image
  return withFileLock(join(labCacheDir(), 'rootfs.lock'), {}, async () => {
    if (existsSync(image)) return image
    await sweepUnfinished(dirname(image))
    const building = await mkdtemp(`${image}.building-`)
    try {
      // mkdtemp makes it 0700, and the mode of the image is the mode of "/" on every host.
      await chmod(building, 0o755)
      await build(building, (line) => onProgress({ type: 'root-image', line }))
      await rename(building, image)
    } catch (error) {
      await rm(building, { recursive: true, force: true })
      throw error
    }
    return image
  })
}

// Only ever called with the lock held: what is unfinished then belongs to a process that died.
async function sweepUnfinished(directory: string): Promise<void> {
  for (const name of await readdir(directory)) {
    if (/^rootfs-[0-9a-f]+\.building-/.test(name)) await rm(join(directory, name), { recursive: true, force: true })
  }
}

async function build(root: string, say: (line: string) => void): Promise<void> {
  const mirror = await debianMirror()
  say(`installing Debian ${rootRecipe.suite} from ${mirror ?? 'its usual place'}`)
  const include = `--include=${rootRecipe.packages.join(',')}`
  await isolated(['debootstrap', '--variant=minbase', include, rootRecipe.suite, root, ...(mirror === null ? [] : [mirror])], say)
  say('fetching the packages of the offline repository')
  await run(['cp', '--dereference', '/etc/resolv.conf', join(root, 'etc/resolv.conf')])
  await inside(
    root,
    dedent`
      apt-get -q update
      apt-get -q install --download-only -y --no-install-recommends ${rootRecipe.repository.join(' ')}
      mkdir -p ${repositoryPath}
      mv /var/cache/apt/archives/*.deb ${repositoryPath}/
      rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin
    `,
    say,
  )
  const packages = (await readdir(join(root, repositoryPath))).filter((name) => name.endsWith('.deb'))
  await indexPackages(join(root, repositoryPath), packages)
  say(`the offline repository has ${packages.length} packages`)
  for (const { path, content, mode = 0o644 } of rootRecipe.files as readonly { path: string; content: string; mode?: number }[]) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await rm(join(root, path), { force: true })
    await writeFile(join(root, path), content)
    await chmod(join(root, path), mode)
  }
  await inside(root, userScript(), say)
  for (const unit of rootRecipe.masked) await symlink('/dev/null', join(root, 'etc/systemd/system', unit))
  await inside(
    root,
    dedent`
      apt-get -q update
      systemctl enable lab-host.service
      : >/etc/machine-id
      rm -f /var/lib/dbus/machine-id /etc/ssh/ssh_host_* /etc/hostname /var/log/bootstrap.log
      rm -rf /var/cache/apt/archives/partial/* /var/cache/apt/*.bin
    `,
    say,
  )
  say(`finished ${basename(root).replace(/\.building-.*/, '')}`)
}

function userScript(): string {
  const lines = [`echo root:${labPassword} | chpasswd`]
  for (const { name, uid, sudo } of labUsers) {
    lines.push(`useradd -m -u ${uid} -s /bin/bash ${name}`, `echo ${name}:${labPassword} | chpasswd`)
    if (sudo === 'with-password') lines.push(`adduser --quiet ${name} sudo`)
    if (sudo === 'without-password')
      lines.push(`echo '${name} ALL=(ALL:ALL) NOPASSWD:ALL' >/etc/sudoers.d/${name}`, `chmod 0440 /etc/sudoers.d/${name}`)
  }
  return lines.join('\n')
}

const inside = (root: string, script: string, onLine: (line: string) => void): Promise<string> =>
  isolated(['chroot', root, 'sh', '-euxc', script], onLine, `--mount-proc=${join(root, 'proc')}`)

/** Whatever the tools mount or leave running ends with them, and they end with us: a killed build leaves a directory, nothing else. */
function isolated(argv: readonly string[], onLine: (line: string) => void, proc = '--mount-proc'): Promise<string> {
  const env = { DEBIAN_FRONTEND: 'noninteractive', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }
  return run(['unshare', '--mount', '--pid', '--fork', '--kill-child', proc, ...argv], { env, onLine, diesWithUs: true })
}
