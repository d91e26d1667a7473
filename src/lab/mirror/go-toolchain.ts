import { fail } from '../../error/index.ts'
import { compareVersions } from '../../resource/version.ts'
import { type RunOptions, run } from './process.ts'

/** The Go on this machine, ready to build. */
export interface GoToolchain {
  readonly version: string
  readonly moduleCache: string
  readonly env: Readonly<Record<string, string>>
}

/** From this version on Go can fetch a newer toolchain by itself, through the module proxy. */
const selfUpgrading = '1.21'

/** Finds Go, installing the distribution's where there is none, and says clearly when neither will do. */
export async function findGo(options: RunOptions & { readonly need?: string } = {}): Promise<GoToolchain> {
  const need = options.need ?? '1.24'
  const found = (await goVersion(options)) ?? (await installGo(options, need))
  if (compareVersions(found, need) < 0 && compareVersions(found, selfUpgrading) < 0)
    throw fail('KX_MIRROR_GO', { need, have: `Go ${found}` })
  const env = {
    // The module proxy alone is asked: a closed network has no checksum database, and every module's own go.sum still holds.
    GONOSUMDB: '*',
    GOFLAGS: '-mod=mod -buildvcs=false',
    GOTOOLCHAIN: compareVersions(found, need) < 0 ? 'auto' : 'local',
    GOWORK: 'off',
    // The compiler lives for seconds: collecting its garbage half as often saves time, and memory is not what is short.
    GOGC: '200',
  }
  const { stdout } = await run(['go', 'env', 'GOMODCACHE'], { ...options, env })
  return { version: found, moduleCache: stdout.trim(), env }
}

async function goVersion(options: RunOptions): Promise<string | null> {
  const { code, stdout } = await run(['go', 'env', 'GOVERSION'], options)
  return code === 0 ? stdout.trim().replace(/^go/, '') : null
}

async function installGo(options: RunOptions, need: string): Promise<string> {
  const installed = await run(['apt-get', 'install', '-y', '--no-install-recommends', 'golang-go'], {
    ...options,
    env: { DEBIAN_FRONTEND: 'noninteractive' },
  })
  const version = installed.code === 0 ? await goVersion(options) : null
  if (version === null) throw fail('KX_MIRROR_GO', { need, have: 'none, and apt-get could not install it' }, { seen: installed.tail })
  return version
}
