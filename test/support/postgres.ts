// A real PostgreSQL for tests: from the distribution's packages, unpacked privately; nothing is installed on the machine.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fetchPackages, resolvePackages, unpackPackages } from '../../src/lab/mirror/debian.ts'
import { cacheRoot } from '../../src/resource/cache-root.ts'
import { acquireFileLock } from '../../src/resource/file-lock.ts'
import { eventually } from '../../src/util/eventually.ts'

/** A server of its own for one test file; gone when disposed. */
export interface TestPostgres extends AsyncDisposable {
  /** Makes an empty database; gives its URL. */
  database(): Promise<string>
  /** Stops the server as a power failure would. */
  stop(): Promise<void>
  start(): Promise<void>
}

/** PostgreSQL refuses to run as root: then it is run as this user, which must be able to read the programs. */
const nobody = 65534
const isRoot = process.getuid?.() === 0
const programs = isRoot ? '/var/tmp/kubexm-postgres' : join(cacheRoot(), 'postgres', 'root')

/** Only libraries the server itself needs: not the C library, whose loader is the machine's, nor the compiler of queries. */
const isNeeded = (name: string): boolean => /^postgresql-\d+$/.test(name) || (/^lib/.test(name) && !/^lib(c6|c-bin|perl|llvm)/.test(name))

/** The directory with everything of PostgreSQL, as it would lie under `/`. */
export async function postgresFiles(): Promise<string> {
  await install()
  return programs
}

/** The directory with `postgres` and `initdb`; fetched and unpacked once on a machine. */
async function install(): Promise<string> {
  await using _ = await acquireFileLock(join(cacheRoot(), 'locks', 'postgres'))
  const found = await binaries()
  if (found !== null) return found
  const packages = (await resolvePackages(['postgresql'])).filter(({ name }) => isNeeded(name))
  const files = await fetchPackages(packages, join(cacheRoot(), 'postgres', 'packages'))
  const fresh = `${programs}.${process.pid}`
  await unpackPackages(files, fresh)
  await chmod(fresh, 0o755)
  await rm(programs, { recursive: true, force: true })
  await rename(fresh, programs)
  const made = await binaries()
  if (made === null) throw new Error(`there is no postgres in ${programs}`)
  return made
}

async function binaries(): Promise<string | null> {
  const versions = await readdir(join(programs, 'usr/lib/postgresql')).catch(() => [])
  const [newest] = versions.toSorted((a, b) => Number(b) - Number(a))
  return newest === undefined ? null : join(programs, 'usr/lib/postgresql', newest, 'bin')
}

async function libraries(): Promise<string> {
  const roots = [join(programs, 'usr/lib'), join(programs, 'lib')]
  const found = await Promise.all(
    roots.map(async (root) =>
      (await readdir(root).catch(() => [])).filter((name) => name.endsWith('-linux-gnu')).map((name) => join(root, name)),
    ),
  )
  return found.flat().join(':')
}

/** Starts a server on a socket of its own: no port is opened. */
export async function startPostgres(): Promise<TestPostgres> {
  const bin = await install()
  const home = await mkdtemp(join(tmpdir(), 'kubexm-postgres-'))
  const data = join(home, 'data')
  await mkdir(data, { mode: 0o700 })
  if (isRoot) for (const path of [home, data]) await chown(path, nobody, nobody)
  const env = { ...process.env, LD_LIBRARY_PATH: await libraries(), LC_ALL: 'C.UTF-8' }
  const identity = isRoot ? { uid: nobody, gid: nobody } : {}
  const init = spawn(join(bin, 'initdb'), ['-D', data, '-U', 'kubexm', '--auth=trust', '--no-sync'], {
    env,
    ...identity,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const complaints: string[] = []
  init.stderr.on('data', (chunk) => complaints.push(String(chunk)))
  const [code] = await once(init, 'close')
  if (code !== 0) throw new Error(`initdb failed: ${complaints.join('')}`)
  // Durable as in production: what is measured must mean something.
  await writeFile(
    join(data, 'postgresql.auto.conf'),
    `listen_addresses = ''\nunix_socket_directories = '${home}'\nmax_connections = 100\njit = off\n`,
  )

  const url = (name: string): string => `postgres://kubexm@/${name}?host=${encodeURIComponent(home)}`
  const start = async () => {
    const server = spawn(join(bin, 'postgres'), ['-D', data], { env, ...identity, stdio: ['ignore', 'ignore', 'pipe'] })
    const said: string[] = []
    server.stderr.on('data', (chunk) => said.push(String(chunk)))
    const ready = await eventually(async () => (server.exitCode !== null ? false : (await isUp(url('postgres'))) ? true : null), {
      every: 100,
      within: 60_000,
    })
    if (ready !== true) throw new Error(`postgres did not start: ${said.join('')}`)
    return server
  }
  let server = await start()
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null) return
    const ended = once(server, 'close')
    server.kill(signal)
    await ended
  }
  let count = 0
  return {
    database: async () => {
      const name = `test${++count}`
      await query(url('postgres'), `CREATE DATABASE ${name}`)
      return url(name)
    },
    stop: () => stop('SIGQUIT'),
    start: async () => {
      server = await start()
    },
    [Symbol.asyncDispose]: async () => {
      await stop('SIGINT')
      await rm(home, { recursive: true, force: true })
    },
  }
}

async function query(url: string, text: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(text)
  } finally {
    await client.end()
  }
}

const isUp = (url: string): Promise<boolean> =>
  query(url, 'SELECT 1').then(
    () => true,
    () => false,
  )
