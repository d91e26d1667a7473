import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, rename, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import sea from 'node:sea'
import { type ConsoleFile, consoleIn } from '../api/index.ts'
import { fail } from '../error/index.ts'

type Files = readonly ConsoleFile[]

/**
 * The console: that of the named directory, the one inside the single binary, or the one beside the program. In a clone it is built when
 * it is not there or older than its source. Where there is none the API works without it, and says so.
 */
export async function findConsole(named: string | undefined, say: (text: string) => void): Promise<Files | null> {
  if (named !== undefined) return (await consoleIn(resolve(named))) ?? notThere(named)
  if (sea.isSea()) return embedded()
  const found = clone === null ? await besideProgram() : await ofClone(clone, say)
  if (found === null) {
    const { problem, fix } = fail('KX_CONSOLE_MISSING', {}).text('en')
    say(`KX_CONSOLE_MISSING ${problem}: ${fix}`)
  }
  return found
}

function notThere(directory: string): never {
  throw fail('KX_USAGE', { what: `--console ${directory}: there is no index.html in it`, command: 'serve' })
}

const inBinary = 'console/'

function embedded(): Files {
  const keys = sea.getAssetKeys().filter((key) => key.startsWith(inBinary))
  return keys.map((key) => ({ path: key.slice(inBinary.length), content: new Uint8Array(sea.getAsset(key)) }))
}

/** Where a build puts it: parts of the program that several commands share lie one directory deeper than the program. */
async function besideProgram(): Promise<Files | null> {
  for (const place of ['console', '../console']) {
    const files = await consoleIn(join(import.meta.dirname, place))
    if (files !== null) return files
  }
  return null
}

const root = join(import.meta.dirname, '../..')
const builder = join(root, 'scripts/build-web.ts')
const clone = import.meta.url.endsWith('.ts') && existsSync(builder) ? root : null

async function ofClone(root: string, say: (text: string) => void): Promise<Files | null> {
  const built = join(root, 'dist/console')
  if ((await newest(join(root, 'src/web'))) <= (await newest(built))) return consoleIn(built)
  say('building the console of this clone: a few seconds, this once')
  // Apart, then put in place: another process may be about the same.
  const fresh = `${built}.${process.pid}`
  const old = `${fresh}.old`
  const child = spawn(process.execPath, [builder, fresh], { stdio: ['ignore', 'ignore', 'pipe'] })
  let trouble = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    trouble += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) {
    say(`the console could not be built:\n${trouble.trim()}`)
    return null
  }
  const files = await consoleIn(fresh)
  await rename(built, old).catch(() => undefined)
  await rename(fresh, built).catch(() => undefined)
  for (const left of [fresh, old]) await rm(left, { recursive: true, force: true })
  return files
}

/** When the newest of the files below a directory was changed; 0 where there are none. */
async function newest(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = entries.filter((entry) => entry.isFile())
  const times = await Promise.all(files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mtimeMs))
  return Math.max(0, ...times)
}
