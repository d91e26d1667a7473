import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Command, Option } from 'commander'
import { highAvailability, type InitOptions } from '../config/index.ts'
import { fail, type Language } from '../error/index.ts'
import { type CommandResult, configConvert, configExplain, configInit, configSchema, configValidate } from './config-actions.ts'
import { askInitOptions } from './config-prompts.ts'

const outputOption = () => new Option('-o, --output <format>', 'how to show the result').choices(['text', 'json']).default('text')
const listOption = (flags: string, about: string) =>
  new Option(flags, about).argParser((value: string) => value.split(',').filter((part) => part !== ''))

export { configConvert, configExplain, configInit, configSchema, configValidate } from './config-actions.ts'

interface InitFlags extends Partial<InitOptions> {
  readonly file: string
  readonly force?: boolean
}

/** Adds `kubexm config …`. `print` takes what a command has to say; the exit code is left in the process. */
export function registerConfigCommands(
  program: Command,
  print: (text: string) => void = (text) => void process.stdout.write(text),
  language: Language = 'en',
): void {
  const finish = ({ text, exitCode }: CommandResult): void => {
    if (text !== '') print(text)
    process.exitCode = exitCode
  }
  const config = program.command('config').description('write, check, explain and convert config files')
  config
    .command('validate')
    .description('check a config file: every error at once, with line and column')
    .requiredOption('-f, --file <file>', 'config file')
    .addOption(outputOption())
    .action(async ({ file, output }: { file: string; output: 'text' | 'json' }) => finish(await configValidate(file, { output, language })))
  config
    .command('schema')
    .description('print the JSON Schema for editors')
    .action(() => finish(configSchema()))
  config
    .command('explain')
    .description('explain a field, for example spec.etcd.type')
    .argument('[path]', 'path of the field', 'spec')
    .action((path: string) => finish(configExplain(path)))
  config
    .command('convert')
    .description('convert a KubeKey v3 file or another spelling to ours')
    .requiredOption('-f, --file <file>', 'file to convert')
    .addOption(outputOption())
    .action(async ({ file, output }: { file: string; output: 'text' | 'json' }) => finish(await configConvert(file, { output })))
  addInit(config, finish)
}

function addInit(config: Command, finish: (result: CommandResult) => void): void {
  config
    .command('init')
    .description('write a commented starter config; asks what is not given by flags')
    .option('-f, --file <file>', 'file to write', 'cluster.yaml')
    .option('--force', 'overwrite the file if it is there')
    .option('--name <name>', 'name of the cluster')
    .addOption(listOption('--hosts <hosts>', 'hosts as name=address or address, separated by commas'))
    .addOption(listOption('--masters <names>', 'hosts of the control plane'))
    .addOption(listOption('--workers <names>', 'hosts for workloads'))
    .addOption(listOption('--etcd <names>', 'hosts for etcd; the masters by default'))
    .addOption(listOption('--loadbalancers <names>', 'hosts for keepalived with haproxy or nginx'))
    .option('--registry <name>', 'host for the image registry')
    .addOption(new Option('--type <type>', 'how the control plane is installed').choices(['kubeadm', 'kubexm']))
    .addOption(new Option('--etcd-type <type>', 'who runs etcd').choices(['kubexm', 'kubeadm']))
    .addOption(new Option('--high-availability <kind>', 'how several masters are reached').choices([...highAvailability]))
    .option('--vip <address>', 'virtual address of the API endpoint')
    .option('--user <user>', 'SSH user')
    .option('--private-key-path <path>', 'SSH key')
    .option('--version <version>', 'Kubernetes version')
    .addOption(new Option('--runtime <runtime>', 'container runtime').choices(['containerd', 'docker', 'cri-o', 'isulad']))
    .addOption(new Option('--plugin <plugin>', 'network plugin').choices(['calico', 'flannel', 'cilium', 'kube-ovn', 'none']))
    .action(async ({ file, force = false, hosts, ...rest }: InitFlags) => {
      if (hosts === undefined && !process.stdin.isTTY)
        throw fail('KX_USAGE', { what: 'there is no terminal to ask at, and --hosts is not given', command: 'config init' })
      const options = hosts === undefined ? await askInitOptions(rest) : { ...rest, hosts }
      const result = configInit(options, file)
      for (const { path, text } of result.files ?? []) await write(path, text, force || path !== file)
      finish({ ...result, text: `wrote ${file}; check it with: kubexm config validate -f ${file}\n` })
    })
}

async function write(path: string, text: string, isReplaceable: boolean): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(path, text, { flag: isReplaceable ? 'w' : 'wx' })
  } catch (cause) {
    throw fail(
      'KX_USAGE',
      {
        what: `${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}; --force overwrites`,
        command: 'config init',
      },
      { cause },
    )
  }
}
