import { spawn } from 'node:child_process'
import type { Command } from 'commander'
import { fail } from '../error/index.ts'
import * as lab from '../lab/index.ts'

interface Named {
  readonly name: string
}

interface UpFlags extends Named {
  readonly hosts?: number
  readonly private?: readonly string[]
  readonly memory?: number
  readonly cpus?: number
  readonly output: 'text' | 'json'
}

/** Adds `kubexm lab …` to the command line. */
export function registerLabCommands(program: Command): void {
  const group = program.command('lab').description('real test hosts on this machine, in a network of their own').enablePositionalOptions()
  const command = (usage: string, description: string): Command =>
    group.command(usage).description(description).option('--name <lab>', 'name of the lab', lab.defaultLabName)

  command('up', 'bring up a lab, or one that lost its power')
    .option('--hosts <n>', 'number of hosts', whole)
    .option('--private <host...>', 'hosts that can only be reached through the first one')
    .option('--memory <MiB>', 'memory of each host', whole)
    .option('--cpus <n>', 'processors of each host', whole)
    .option('-o, --output <format>', 'text or json', 'text')
    .action(async (flags: UpFlags) => {
      const status = await lab.labUp(upOptions(flags), progressOf(flags.output))
      print(flags.output === 'json' ? json(status) : describe(status))
    })
  command('down', 'take down a lab and all that it has on this machine')
    .option('--all', 'every lab of this machine')
    .action(async ({ name, all }: Named & { all?: true }) => {
      const names = all ? (await lab.labStatuses()).map((status) => status.name) : [name]
      for (const one of names) {
        await lab.labDown(one)
        print(`lab ${one} is gone\n`)
      }
    })
  group
    .command('status')
    .description('show the labs of this machine')
    .option('--name <lab>', 'only this one')
    .option('-o, --output <format>', 'text or json', 'text')
    .action(async ({ name, output }: { name?: string; output: string }) => {
      const labs = name === undefined ? await lab.labStatuses() : [await lab.labStatus(name)]
      print(output === 'json' ? json(labs) : labs.length === 0 ? 'there is no lab\n' : labs.map(describe).join('\n'))
    })
  command('exec <host> <command...>', 'run a command as root on a host, past its network')
    .passThroughOptions()
    .action(async (host: string, argv: string[], { name }: Named) => become(await lab.execCommand(name, host, words(argv))))
  command('ssh <host> [command...]', 'open an SSH session to a host')
    .passThroughOptions()
    .action(async (host: string, argv: string[], { name }: Named) => become(await lab.sshCommand(name, host, words(argv))))
  command('reboot <host>', 'reboot a host in order').action((host: string, { name }: Named) => lab.labReboot(name, host))
  command('kill <host>', 'take the power from a host').action(async (host: string, { name }: Named) => void (await lab.labKill(name, host)))
  command('start <host>', 'start a host that is off').action((host: string, { name }: Named) => lab.labStart(name, host))
  command('add [host]', 'add a host')
    .option('--private', 'reachable only through the first host')
    .option('--memory <MiB>', 'its memory', whole)
    .option('--cpus <n>', 'its processors', whole)
    .action(async (host: string | undefined, flags: Named & { private?: true; memory?: number; cpus?: number }) => {
      const { name, memory, cpus } = flags
      const added = await lab.labAdd(name, {
        ...(host === undefined ? {} : { name: host }),
        ...(flags.private ? { private: true } : {}),
        ...size(memory, cpus),
      })
      print(`${added}\n`)
    })
  command('rm <host>', 'remove a host and its disks').action(
    async (host: string, { name }: Named) => void (await lab.labRemove(name, host)),
  )
  command('net <action> <host>', 'cut a host off from the network, or heal that').action(
    async (action: string, host: string, { name }: Named) => {
      if (action !== 'cut' && action !== 'heal') throw fail('KX_USAGE', { what: `"${action}" is neither cut nor heal`, command: 'lab net' })
      await (action === 'cut' ? lab.labCut(name, host) : lab.labHeal(name, host))
    },
  )
  command('config', 'print a cluster config for the hosts of a lab')
    .option('--masters <n>', 'number of control plane hosts', whole)
    .option('--user <user>', `root, ${lab.labUsers.map((user) => user.name).join(', ')}`)
    .option('--type <type>', 'kubexm or kubeadm')
    .option('--kubernetes-version <version>', 'version of Kubernetes')
    .action(async (flags: Named & lab.ClusterChoice & { kubernetesVersion?: string }) => {
      const { name, kubernetesVersion, ...choice } = flags
      print(await lab.labClusterYaml(name, { ...choice, ...(kubernetesVersion === undefined ? {} : { version: kubernetesVersion }) }))
    })
  group.command('supervise <name>', { hidden: true }).action((name: string) => lab.superviseLab(name))
}

function upOptions(flags: UpFlags): lab.LabOptions {
  const behind = new Set(flags.private ?? [])
  const small = size(flags.memory, flags.cpus)
  const plain = behind.size === 0 && Object.keys(small).length === 0
  if (plain) return { name: flags.name, ...(flags.hosts === undefined ? {} : { hosts: flags.hosts }) }
  const hosts = Array.from({ length: flags.hosts ?? 3 }, (_, i) => ({
    ...small,
    ...(behind.delete(`node${i + 1}`) ? { private: true } : {}),
  }))
  if (behind.size > 0)
    throw fail('KX_USAGE', {
      what: `--private names ${[...behind].join(', ')}, but the hosts are node1 to node${hosts.length}`,
      command: 'lab up',
    })
  return { name: flags.name, hosts }
}

const size = (memoryMiB: number | undefined, cpus: number | undefined): lab.HostOptions => ({
  ...(memoryMiB === undefined ? {} : { memoryMiB }),
  ...(cpus === undefined ? {} : { cpus }),
})

function progressOf(output: string): lab.OnProgress {
  if (output === 'json') return () => undefined
  return (progress) => {
    if (progress.type === 'tools') note(`installing ${progress.packages.join(', ')}`)
    else if (progress.type === 'root-image') note(progress.line)
    else if (progress.state === 'running') note(`${progress.host} is up`)
  }
}

function describe({ name, supervisor, netns, stateDir, memoryBytes, hosts }: lab.LabStatus): string {
  const memory = memoryBytes === null ? '' : `, ${Math.round(memoryBytes / 1024 / 1024)} MiB`
  const gone = supervisor === 'gone' ? ', supervisor gone' : ''
  const width = Math.max(...hosts.map((host) => host.name.length), 4)
  const lines = hosts.map((host) => {
    const marks = [host.network === 'private' ? 'private' : '', host.cut ? 'cut off' : '', host.why ?? ''].filter(Boolean).join(', ')
    return `  ${host.name.padEnd(width)}  ${host.state.padEnd(9)}  ${host.ipv4.padEnd(12)}  ${host.ipv6.padEnd(10)}  ${marks}`.trimEnd()
  })
  return [
    `lab ${name}: ${hosts.length} hosts${memory}${gone}`,
    ...lines,
    `  network  nsenter --net=${netns}`,
    `  files    ${stateDir}`,
    '',
  ].join('\n')
}

/** Runs a program in the place of this one: its terminal, its signals, its exit code. */
async function become([program = '', ...args]: readonly string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const child = spawn(program, args, { stdio: 'inherit' })
  child.on('error', reject).on('close', (code) => resolve(code ?? 137))
  process.exitCode = await promise
}

/** What is to be run, without the `--` that may stand before it. */
const words = (argv: readonly string[]): readonly string[] => (argv[0] === '--' ? argv.slice(1) : argv)

function whole(text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw fail('KX_USAGE', { what: `"${text}" is not a whole number above 0`, command: 'lab' })
  return Number(text)
}

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
const print = (text: string): void => void process.stdout.write(text)
const note = (line: string): void => void process.stderr.write(`${line}\n`)
