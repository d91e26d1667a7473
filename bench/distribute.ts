// Brings one large file to every host of a config, inside the network the hosts are in, beside as many `ssh cat` at once; prints the best times.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sshFleet } from '../src/app/ssh-fleet.ts'
import { type Cluster, hostsOf, loadCluster } from '../src/config/index.ts'
import { execute, openJournal, sealingKey, type World } from '../src/engine/index.ts'
import { createPki, memoryStore } from '../src/pki/index.ts'
import { fragmentOf, type StepNode, seal } from '../src/plan/index.ts'
import { hashFile } from '../src/resource/atomic-file.ts'
import { sh } from '../src/runner/index.ts'
import { workPaths } from '../src/runtime/index.ts'
import { uploadFile } from '../src/step/generic/file.ts'
import { composeStep } from '../src/step/index.ts'
import { hashOf } from '../src/util/hash.ts'
import { minutes, systemClock } from '../src/util/time.ts'
import { plainOptions } from '../test/support/run-options.ts'

/** Milliseconds, the best of a few rounds each. */
export interface Distribution {
  readonly hosts: number
  readonly bytes: number
  /** As many `ssh host 'cat > file'` at once as there are hosts. */
  readonly opensshMs: number
  /** A run that uploads, and sees that what is there has the right hash. */
  readonly firstMs: number
  /** The same run once more: everything is there. */
  readonly againMs: number
}

const bytes = 500_000_000
const rounds = 4
const [ours, theirs] = ['/opt/kx-bench-ours', '/opt/kx-bench-theirs']

async function measure(cluster: Cluster, directory: string): Promise<Distribution> {
  const local = join(directory, 'payload')
  await fill(local)
  const { sha256 } = await hashFile(local)
  const paths = workPaths(directory, 'bench')
  const signal = new AbortController().signal
  await using fleet = await sshFleet(cluster, { paths, signal, only: [], ask: async () => null, onSecret: () => {} })
  const { hosts, runner } = fleet
  const store = { find: async () => null, ensure: () => Promise.reject(new Error('nothing is fetched here')) }
  const registries = { has: async () => false, publish: () => Promise.reject(new Error('nothing is pushed here')) }
  const world: World = {
    cluster,
    hosts,
    paths,
    artifacts: [],
    store,
    pki: createPki({ cluster, store: memoryStore() }),
    registries,
    runner,
  }
  const step = composeStep({
    name: 'bench.upload',
    title: 'Upload a large file',
    timeout: minutes(10),
    ops: () => [uploadFile({ path: ours, from: local, sha256, mode: '0755' })],
  })
  const nodes = hosts.map(
    ({ name: host }): StepNode => ({
      ...{ kind: 'step', id: host, needs: [], mode: 'apply', host, step, title: 'upload', input: null, inputHash: hashOf(null) },
      ...{ timeout: step.timeout, module: 'bench', task: 'bench' },
    }),
  )
  const graph = seal('bench', fragmentOf(nodes))
  const distribute = async (): Promise<void> => {
    await using journal = await openJournal(join(directory, 'state.jsonl'), sealingKey(randomBytes(32)))
    const { errors } = await execute(
      graph,
      world,
      plainOptions(journal, systemClock, () => {}),
    )
    if (errors[0] !== undefined) throw errors[0]
  }
  const everywhere = (command: ReturnType<typeof sh>) => Promise.all(hosts.map(({ name }) => runner(name).run(command)))
  const best = { opensshMs: Number.POSITIVE_INFINITY, firstMs: Number.POSITIVE_INFINITY, againMs: Number.POSITIVE_INFINITY }
  const time = async (name: keyof typeof best, work: () => Promise<unknown>): Promise<void> => {
    // What earlier rounds left to be written would be paid by whoever comes next.
    await everywhere(sh`sync`)
    const began = performance.now()
    await work()
    best[name] = Math.min(best[name], performance.now() - began)
  }
  // In turn, so that a busy moment of the machine meets both.
  for (let round = 0; round < rounds; round++) {
    await everywhere(sh`rm -f ${theirs}`)
    await time('opensshMs', () => Promise.all(hosts.map(({ address }) => byOpenssh(cluster, address, local))))
    await everywhere(sh`rm -rf ${ours} /var/lib/kubexm`)
    await rm(join(directory, 'state.jsonl'), { force: true })
    await time('firstMs', distribute)
    await rm(join(directory, 'state.jsonl'), { force: true })
    await time('againMs', distribute)
  }
  await everywhere(sh`rm -rf ${ours} ${theirs} /var/lib/kubexm`)
  return { hosts: hosts.length, bytes, ...best }
}

/** Bytes that nothing on the way can make fewer. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  const chunk = randomBytes(1_000_000)
  for (let written = 0; written < bytes; written += chunk.length) await file.write(chunk)
  await file.close()
}

async function byOpenssh({ spec: { global } }: Cluster, address: string, local: string): Promise<void> {
  const options = [
    'BatchMode=yes',
    'StrictHostKeyChecking=yes',
    `UserKnownHostsFile=${global.knownHosts}`,
    'LogLevel=ERROR',
    'Ciphers=aes128-gcm@openssh.com',
    'IdentitiesOnly=yes',
  ]
  const input = await open(local, 'r')
  const target = ['-i', global.privateKeyPath ?? '', `root@${address}`, `cat > ${theirs}`]
  const child = spawn('ssh', ['-F', 'none', ...options.flatMap((option) => ['-o', option]), ...target], {
    stdio: [input.fd, 'ignore', 'inherit'],
  })
  const [code] = await once(child, 'close')
  await input.close()
  if (code !== 0) throw new Error(`ssh to ${address} ended with ${code}`)
}

if (import.meta.main) {
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-bench-'))
  try {
    const cluster = await loadCluster(process.argv[2] ?? '')
    if (hostsOf(cluster).some(({ user }) => user !== 'root')) throw new Error('the bench logs in as root')
    process.stdout.write(`${JSON.stringify(await measure(cluster, directory))}\n`)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
