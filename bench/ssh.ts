// Figures of the connection to one host, against a real sshd on the loopback; uploads beside OpenSSH's own client on the same machine.
import { spawn } from 'node:child_process'
import { closeSync, openSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { sshConnector, sshCryptoIsNative } from '../src/connector/index.ts'
import { createRunner, type Runner } from '../src/runner/index.ts'
import { startSshd, type TestSshd } from '../test/support/sshd.ts'

/** What was measured. */
export interface SshFigures {
  readonly nativeCrypto: boolean
  /** One command on a warm connection, from the call to its exit code: the median of many. */
  readonly execMs: number
  /** Bytes a second of our upload and of `ssh host 'cat > file'`, the best of a few runs each. */
  readonly uploadMBs: number
  readonly opensshMBs: number
  /** The first divided by the second. */
  readonly uploadRatio: number
}

const size = 500_000_000

/** Measures a warm exec and an upload. */
export async function measureSsh(): Promise<SshFigures> {
  await using sshd = await startSshd()
  await using connection = await sshConnector(sshd.options()).connect(AbortSignal.timeout(30_000))
  const on = createRunner({ host: 'box', connection })
  const quiet = { signal: AbortSignal.timeout(300_000), onStdout: () => undefined, onStderr: () => undefined }
  const times: number[] = []
  for (let i = 0; i < 300; i++) {
    const began = performance.now()
    await connection.exec('true', quiet)
    times.push(performance.now() - began)
  }
  const local = join(sshd.directory, 'payload')
  closeSync(openSync(local, 'w'))
  truncateSync(local, size)
  let [ours, theirs] = [0, 0]
  // In turn, so that a busy moment of the machine meets both.
  for (let i = 0; i < 4; i++) {
    theirs = Math.max(theirs, await bytesPerSecond(() => byOpenssh(sshd, local)))
    ours = Math.max(ours, await bytesPerSecond(() => byUs(on, local)))
  }
  const median = times.sort((a, b) => a - b)[times.length / 2] ?? 0
  return { nativeCrypto: sshCryptoIsNative(), execMs: median, uploadMBs: ours / 1e6, opensshMBs: theirs / 1e6, uploadRatio: ours / theirs }
}

async function bytesPerSecond(work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return size / ((performance.now() - began) / 1000)
}

async function byUs(on: Runner, local: string): Promise<void> {
  // A hash that cannot be there: the time of the transfer is measured, not that of a comparison.
  await on.files.upload(local, '/dev/shm/kx-bench/ours', { mode: '0600', sha256: '0'.repeat(64) })
  await on.files.remove('/dev/shm/kx-bench', { recursive: true })
}

async function byOpenssh(sshd: TestSshd, local: string): Promise<void> {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'LogLevel=ERROR',
    'Ciphers=aes128-gcm@openssh.com',
    'IdentitiesOnly=yes',
  ]
  const args = [
    '-F',
    'none',
    ...options.flatMap((option) => ['-o', option]),
    '-i',
    sshd.keyPath,
    '-p',
    String(sshd.port),
    'root@127.0.0.1',
    'mkdir -p /dev/shm/kx-bench && cat > /dev/shm/kx-bench/theirs && rm /dev/shm/kx-bench/theirs',
  ]
  const input = openSync(local, 'r')
  const child = spawn('ssh', args, { stdio: [input, 'ignore', 'inherit'] })
  const code = await new Promise((resolve) => child.once('close', resolve))
  closeSync(input)
  if (code !== 0) throw new Error(`ssh ended with ${code}`)
}

if (import.meta.main) {
  const figures = await measureSsh()
  process.stdout.write(
    `native crypto ${figures.nativeCrypto}\nwarm exec ${figures.execMs.toFixed(2)} ms (at most 4)\n` +
      `upload ${figures.uploadMBs.toFixed(0)} MB/s, OpenSSH ${figures.opensshMBs.toFixed(0)} MB/s, ratio ${figures.uploadRatio.toFixed(2)} (at least 0.9)\n`,
  )
}
