// `npm run bench`: figures for what was promised, as ratios of one run where a figure alone would depend on the machine.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root, run } from '../scripts/run.ts'
import { labCapability, labClusterYaml, labDown, labNetns, labUp, thisProcess } from '../src/lab/index.ts'
import { measureCreate } from './create.ts'
import type { Distribution } from './distribute.ts'
import { measureSsh } from './ssh.ts'

const write = (text: string): void => void process.stdout.write(text)
let broken = 0

/** Prints a figure beside its limit. */
function figure(name: string, value: number, unit: string, limit: number, atMost = true): void {
  const holds = atMost ? value <= limit : value >= limit
  if (!holds) broken++
  write(
    `${holds ? '✔' : '✘'} ${name.padEnd(58)} ${value.toFixed(value < 10 ? 2 : 0)} ${unit}  (${atMost ? 'at most' : 'at least'} ${limit} ${unit})\n`,
  )
}

interface Core {
  readonly nodes: number
  readonly plannedMs: number
  readonly walkedMs: number
  readonly maxRssMiB: number
}

async function core(hosts: number): Promise<Core> {
  const { output } = await run('node', [join(root, 'bench/core.ts'), String(hosts), '80'])
  return JSON.parse(output) as Core
}

/** The best of a few: what the program needs, not what else the machine was doing. */
async function quickest(command: string, args: readonly string[]): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let i = 0; i < 7; i++) best = Math.min(best, (await run(command, args)).ms)
  return best
}

write('core: a fleet that has nothing to do, 80 steps a host\n')
const small = await core(500)
const large = await core(5000)
figure(`plan 5 000 hosts (${large.nodes} nodes)`, large.plannedMs / 1000, 's', 2)
figure('walk 5 000 hosts', large.walkedMs / 1000, 's', 10)
figure('memory', large.maxRssMiB, 'MiB', 1536)
figure('planning 10 × the hosts takes this many times as long', large.plannedMs / small.plannedMs, '×', 15)
figure('walking 10 × the hosts takes this many times as long', large.walkedMs / small.walkedMs, '×', 15)

write('start-up\n')
figure('./kubexm version', await quickest(join(root, 'kubexm'), ['version']), 'ms', 150)
const { code, output } = await run('node', [join(root, 'scripts/build.ts')])
if (code !== 0) write(output)
figure('single binary version', await quickest(join(root, 'dist', `kubexm-linux-${process.arch}`), ['version']), 'ms', 100)

write('SSH on loopback\n')
const ssh = await measureSsh()
figure('a command on a warm connection', ssh.execMs, 'ms', 4)
figure("upload, as a part of what ssh host 'cat > file' does", ssh.uploadRatio, '×', 0.9, false)

const capability = labCapability()
if (capability.ok) {
  write('lab\n')
  await labs()
  write('clusters on lab hosts, beside a shell script that does the least by hand\n')
  const { reference, small, again, remove, large, largeBinaries } = await measureCreate()
  write(`  the script took ${reference.toFixed(1)} s, kubexm ${small.toFixed(1)} s; three masters and two workers ${large.toFixed(1)} s\n`)
  figure('create 1 master + 2 workers, as a part of the script', small / reference, '×', 1.3)
  figure('create 3 masters + 2 workers by kubeadm, as a part of that', large / small, '×', 1.6)
  figure('create 3 masters + 2 workers as binaries', largeBinaries / small, '×', 1.6)
  figure('create again, nothing to change', again, 's', 3)
  figure('delete', remove, 's', 15)
} else write(`lab: not run: ${capability.missing}\n`)

/** How quickly hosts come up, and how quickly fifty of them are connected to and looked at. */
async function labs(): Promise<void> {
  const name = `bench${process.pid}`
  const bringUp = async (hosts: number): Promise<number> => {
    const started = performance.now()
    await labUp({ name, hosts, owner: thisProcess() })
    return (performance.now() - started) / 1000
  }
  try {
    figure('lab up, 3 hosts', await bringUp(3), 's', 10)
    const brought = await inLab<Distribution>(name, 'distribute.ts')
    figure('500 MB to 3 hosts, as times three ssh cat at once', brought.firstMs / brought.opensshMs, '×', 1.15)
    figure('the same 500 MB again', brought.againMs / 1000, 's', 1)
    await labDown(name)
    figure('lab up, 20 hosts', await bringUp(20), 's', 30)
    await labDown(name)
    await bringUp(50)
    let best = Number.POSITIVE_INFINITY
    for (let i = 0; i < 3; i++) best = Math.min(best, (await inLab<{ ms: number }>(name, 'connect.ts')).ms / 1000)
    figure('connect to 50 hosts and gather their facts', best, 's', 3)
  } finally {
    await labDown(name)
  }
}

/** What a program of this folder prints, run in the network of a lab with a config for its hosts. */
async function inLab<T>(lab: string, program: string): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-bench-'))
  const config = join(directory, 'cluster.yaml')
  await writeFile(config, await labClusterYaml(lab))
  const { output } = await run('nsenter', [`--net=${labNetns(lab)}`, process.execPath, join(root, 'bench', program), config])
  await rm(directory, { recursive: true })
  return JSON.parse(output) as T
}

process.exitCode = broken === 0 ? 0 : 1
