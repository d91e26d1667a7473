// `npm run demo`: what kubexm does today, on real hosts where this machine can have them, else on simulated ones; and it says which.
import { spawn } from 'node:child_process'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labCapability, labClusterYaml, labNetns, labStatuses } from '../src/lab/index.ts'
import { makeMirror, serveMirror, someFiles } from '../src/lab/mirror/index.ts'
import { root } from './run.ts'

const lab = 'demo'
const write = (text: string): void => void process.stdout.write(text)
const kubexm = join(root, 'kubexm')

/** Shows the command as a person would type it, then runs it on this terminal. */
async function show(words: readonly string[], inNetwork: boolean): Promise<void> {
  write(`\n$ kubexm ${words.join(' ')}\n`)
  const argv = inNetwork ? ['nsenter', `--net=${labNetns(lab)}`, kubexm, ...words] : [kubexm, ...words]
  const [command = '', ...args] = argv
  const code = await new Promise<number>((resolve, reject) => {
    spawn(command, args, { stdio: 'inherit' })
      .on('error', reject)
      .on('exit', (ended) => resolve(ended ?? 1))
  })
  if (code !== 0) throw new Error(`kubexm ${words.join(' ')} ended with ${code}`)
}

const directory = await mkdtemp(join(tmpdir(), 'kubexm-demo-'))
const config = join(directory, 'cluster.yaml')
const capability = labCapability()

if (capability.ok) {
  write(
    'Three real hosts on this machine: systemd, sshd, a network of their own. The first time their system is installed, which takes a minute or two.\n',
  )
  if (!(await labStatuses()).some((status) => status.name === lab)) await show(['lab', 'up', '--name', lab, '--hosts', '3'], false)
  write('What would come from the internet is built here once from its sources, which takes a few minutes the first time.\n')
  const { failed } = await makeMirror({
    only: someFiles('containerd', 'runc', 'crictl', 'cni-plugins'),
    onEvent: (event) => void (event.type === 'item.started' && write(`  making ${event.item}\n`)),
  })
  if (failed[0] !== undefined) throw failed[0].error
  await using served = await serveMirror({ images: [], address: '10.77.0.1', port: 8080, registryPort: 5000, namespace: labNetns(lab) })
  process.env.KUBEXM_MIRROR = served.files
  await writeFile(config, await labClusterYaml(lab))
  await show(['preflight', '-f', config, '--directory', directory], true)
  await show(['create', 'cluster', '-f', config, '--directory', directory], true)
  await show(['create', 'cluster', '-f', config, '--directory', directory], true)
  write(
    `\nThe hosts stay up. Look around:\n  ./kubexm lab ssh --name ${lab} node1\nTake what kubexm did off them again, then take them down:\n`,
  )
  write(
    `  nsenter --net=${labNetns(lab)} ./kubexm delete cluster -f ${config} --directory ${directory}\n  ./kubexm lab down --name ${lab}\n`,
  )
} else {
  write(
    `This machine cannot have real hosts: ${capability.missing}. (${capability.fix})\nSo this is a rehearsal on simulated ones: the same plan, the same engine, no machine is touched.\n`,
  )
  await writeFile(config, rehearsalConfig())
  await show(['plan', '-f', config, '--rehearse'], false)
  await show(['create', 'cluster', '-f', config, '--rehearse'], false)
}

function rehearsalConfig(): string {
  const hosts = [1, 2, 3].map((n) => `    - {name: node${n}, address: 192.0.2.${n}, privateKeyPath: ~/.ssh/id_ed25519}`)
  return `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: rehearsal}
spec:
  hosts:
${hosts.join('\n')}
  roleGroups: {etcd: [node1], master: [node1], worker: ["node[2:3]"]}
  kubernetes: {version: v1.34.4}
  network: {plugin: flannel}
`
}
