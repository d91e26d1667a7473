import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SshOptions } from '../../src/connector/index.ts'

/** A real sshd on a free port of the loopback, for one test file. */
export interface TestSshd extends AsyncDisposable {
  readonly port: number
  /** A private directory for keys, known_hosts and uploads of the test. */
  readonly directory: string
  /** The private key that root's login on this sshd accepts. */
  readonly keyPath: string
  /** What sshd has logged so far. */
  log(): string
  /** Stops it and starts it again on the same port. */
  restart(): Promise<void>
  stop(): Promise<void>
  /** Options that log in as root by key. */
  options(change?: Partial<SshOptions>): SshOptions
}

interface SshdSetup {
  /** More lines for sshd_config. */
  readonly config?: string
  /** One more directory that sshd sees as it is outside. */
  readonly share?: string
}

/** Installs what the tests need, where the machine is ours to change. */
export function ensureSshd(): void {
  if (existsSync('/usr/sbin/sshd') && existsSync('/usr/bin/sudo')) return
  if (userInfo().uid !== 0) throw new Error('these tests need openssh-server and sudo, and root to install them')
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'openssh-server', 'sudo'], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  })
}

/**
 * sshd sees the machine's files through an overlay that is thrown away: users, packages, /etc and /var/lib/kubexm can be changed freely.
 * Only the test's directory is shared.
 */
const box = `
b=$1/box
mkdir -p "$b"
mount -t tmpfs -o mode=0755 tmpfs "$b"
mkdir "$b/upper" "$b/work" "$b/root"
mount -t overlay overlay -o lowerdir=/,upperdir="$b/upper",workdir="$b/work" "$b/root"
for d in proc sys dev; do mount --rbind "/$d" "$b/root/$d"; done
mount -t tmpfs -o mode=0755 tmpfs "$b/root/run"
mkdir "$b/root/run/sshd" "$b/root/run/lock"
mount --bind "$1" "$b/root$1"
[ "$3" = "$1" ] || mount --bind "$3" "$b/root$3"
hostname kxtest
exec chroot "$b/root" /usr/sbin/sshd -D -e -f "$2"`

/** Starts an sshd with host keys of its own. */
export async function startSshd(setup: SshdSetup = {}): Promise<TestSshd> {
  ensureSshd()
  const directory = mkdtempSync(join(tmpdir(), 'kxtest-sshd-'))
  // sshd reads authorized_keys with the rights of the user who logs in.
  chmodSync(directory, 0o755)
  const keyPath = makeKey(directory, 'login')
  makeKey(directory, 'host')
  copyFileSync(`${keyPath}.pub`, join(directory, 'authorized_keys'))
  const port = await freePort()
  const config = [
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    `HostKey ${join(directory, 'host')}`,
    `AuthorizedKeysFile ${join(directory, 'authorized_keys')}`,
    'StrictModes no',
    'PermitRootLogin yes',
    `PidFile ${join(directory, 'sshd.pid')}`,
    'MaxStartups 100:30:200',
    'UsePAM yes',
    // The start-up files of the machine's own users are no part of a test.
    `SetEnv HOME=${directory}`,
    setup.config ?? '',
  ]
  const file = join(directory, 'sshd_config')
  writeFileSync(file, `${config.join('\n')}\n`)
  let log = ''
  let child: ChildProcess | null = null
  const start = async (): Promise<void> => {
    const started = spawn(
      'unshare',
      ['--mount', '--uts', '--propagation', 'private', 'sh', '-ec', box, 'sh', directory, file, setup.share ?? directory],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    )
    started.stderr.on('data', (chunk: Buffer) => {
      log += chunk.toString()
    })
    child = started
    const from = log.length
    for (let i = 0; i < 200 && !log.slice(from).includes('Server listening'); i++) await sleep(10)
    if (!log.slice(from).includes('Server listening')) throw new Error(`sshd did not start: ${log}`)
  }
  const stop = async (): Promise<void> => {
    if (child === null || child.exitCode !== null) return
    const gone = new Promise((resolve) => child?.once('exit', resolve))
    child.kill()
    await gone
  }
  await start()
  return {
    port,
    directory,
    keyPath,
    log: () => log,
    stop,
    restart: async () => {
      await stop()
      await start()
    },
    options: (change = {}) => ({
      target: { address: '127.0.0.1', port, user: 'root', privateKeyPath: keyPath, agent: false },
      jumps: [],
      knownHosts: [],
      pinFile: join(directory, 'pins'),
      connectTimeout: 20_000,
      ...change,
    }),
    [Symbol.asyncDispose]: async () => {
      await stop()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

/** Makes a key pair and gives the path of the private half. */
export function makeKey(directory: string, name: string, options: { readonly type?: string; readonly passphrase?: string } = {}): string {
  const path = join(directory, name)
  execFileSync('ssh-keygen', ['-q', '-t', options.type ?? 'ed25519', '-N', options.passphrase ?? '', '-C', name, '-f', path])
  return path
}

/** A port of the loopback nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
