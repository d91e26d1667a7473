// Connects to every host of a config and gathers its facts, inside the network the hosts are in; prints the milliseconds.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sshFleet } from '../src/app/ssh-fleet.ts'
import { loadCluster } from '../src/config/index.ts'
import { workPaths } from '../src/runtime/index.ts'

const cluster = await loadCluster(process.argv[2] ?? '')
const directory = await mkdtemp(join(tmpdir(), 'kubexm-bench-'))
const started = performance.now()
{
  await using fleet = await sshFleet(cluster, {
    paths: workPaths(directory, 'bench'),
    signal: new AbortController().signal,
    only: [],
    ask: async () => null,
    onSecret: () => {},
  })
  process.stdout.write(`${JSON.stringify({ hosts: fleet.hosts.length, ms: performance.now() - started })}\n`)
}
await rm(directory, { recursive: true })
