// `npm run demo`: a real cluster on real hosts where this machine can have them, else a rehearsal on simulated ones; and it says which.
import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { echoNodePort, echoWorkload, labCapability, labClusterYaml, labNetns, labStatuses } from '../src/lab/index.ts'
import { defaultWish, makeMirror, serveMirror } from '../src/lab/mirror/index.ts'
import { formatMillis } from '../src/util/time.ts'
import { root } from './run.ts'

const lab = 'demo'
const version = 'v1.34.4'
const write = (text: string): void => void process.stdout.write(text)
const kubexm = join(root, 'kubexm')
const directory = join(homedir(), '.cache', 'kubexm', 'demo')
const config = join(directory, 'cluster.yaml')
const began = Date.now()

/** Runs a program on this terminal; with an input, that is what it reads. */
async function run(argv: readonly string[], input?: string): Promise<void> {
  const [command = '', ...args] = argv
  const child = spawn(command, args, { stdio: [input === undefined ? 'inherit' : 'pipe', 'inherit', 'inherit'] })
  child.stdin?.end(input)
  const code = await new Promise<number>((resolve, reject) => {
    child.on('error', reject).on('exit', (ended) => resolve(ended ?? 1))
  })
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`)
}

const inLab = (...argv: readonly string[]): readonly string[] => ['nsenter', `--net=${labNetns(lab)}`, ...argv]

/** Shows the command as a person would type it, then runs it. */
async function show(words: readonly string[], inNetwork: boolean): Promise<void> {
  write(`\n$ kubexm ${words.join(' ')}\n`)
  await run(inNetwork ? inLab(kubexm, ...words) : [kubexm, ...words])
}

/** kubectl of the first master, which kubexm put there. */
async function kubectl(words: readonly string[], input?: string): Promise<void> {
  write(`\nnode1# kubectl ${words.join(' ')}\n`)
  await run([kubexm, 'lab', 'exec', '--name', lab, 'node1', '--', 'kubectl', '--kubeconfig=/etc/kubernetes/admin.conf', ...words], input)
}

/** The time so far, so that nobody wonders what a long silence is. */
const say = (text: string): void => write(`\n── ${formatMillis(Date.now() - began)} ── ${text}\n`)

await mkdir(directory, { recursive: true, mode: 0o700 })
const capability = labCapability()
if (capability.ok) await realCluster()
else await rehearsal(capability)

async function realCluster(): Promise<void> {
  say(
    'Three real hosts on this machine: systemd, sshd, a network of their own without a way out. The first time their system is installed.',
  )
  if (!(await labStatuses()).some((status) => status.name === lab)) await show(['lab', 'up', '--name', lab, '--hosts', '3'], false)
  say('What would come from the internet is built here once from its sources: some twenty minutes the first time, seconds after that.')
  const { failed, contents } = await makeMirror({
    wish: { ...defaultWish, kubernetes: [version], containerd: ['v2.1.4'], etcd: [] },
    onEvent: (event) => {
      if (event.type === 'item.started') write(`  making ${event.item}\n`)
      if (event.type === 'item.finished') write(`  made   ${event.item} in ${formatMillis(event.ms)}\n`)
    },
  })
  if (failed[0] !== undefined) throw failed[0].error
  const images = contents.images.map(({ image }) => image)
  await using served = await serveMirror({ images, address: '10.77.0.1', port: 8080, registryPort: 5000, namespace: labNetns(lab) })
  process.env.KUBEXM_MIRROR = served.files
  process.env.KUBEXM_REGISTRY_MIRROR = `http://${served.registry}`
  await writeFile(config, await labClusterYaml(lab, { version, spec: { etcd: { type: 'kubeadm' }, roleGroups: { etcd: [] } } }))
  const options = ['-f', config, '--directory', directory]
  say('One master, two workers.')
  await show(['create', 'cluster', ...options], true)
  say('The same command again finds nothing to do.')
  await show(['create', 'cluster', ...options], true)
  say('A web server on every node, and a request to one host that any of them may answer.')
  await kubectl(['apply', '-f', '-'], echoWorkload())
  await kubectl(['rollout', 'status', 'daemonset/echo', '--timeout=120s'])
  await kubectl(['get', 'nodes', '-o', 'wide'])
  await kubectl(['get', 'pods', '-A', '-o', 'wide'])
  write('\n')
  for (const host of [11, 12, 13]) {
    write(`$ curl http://10.77.0.${host}:${echoNodePort}/\n`)
    await run(
      inLab(
        'curl',
        '-sS',
        '--retry',
        '10',
        '--retry-all-errors',
        '--retry-delay',
        '1',
        '-m',
        '5',
        `http://10.77.0.${host}:${echoNodePort}/`,
      ),
    )
  }
  say('The cluster stays up. Look around:')
  write(`  ./kubexm lab ssh --name ${lab} node1            # kubectl is ready to use there\n`)
  write(`  nsenter --net=${labNetns(lab)} ./kubexm status ${options.join(' ')}\n`)
  write('Tear down, and see that nothing is left:\n')
  write(`  nsenter --net=${labNetns(lab)} ./kubexm delete cluster ${options.join(' ')} --purge-data\n  ./kubexm lab down --name ${lab}\n`)
}

async function rehearsal({ missing, fix }: { readonly missing: string; readonly fix: string }): Promise<void> {
  write(
    `This machine cannot have real hosts: ${missing}. (${fix})\nSo this is a rehearsal on simulated ones: the same plan, the same engine, no machine is touched.\n`,
  )
  const hosts = [1, 2, 3].map((n) => `    - {name: node${n}, address: 192.0.2.${n}, privateKeyPath: ~/.ssh/id_ed25519}`)
  await writeFile(
    config,
    `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: rehearsal}
spec:
  hosts:
${hosts.join('\n')}
  roleGroups: {etcd: [node1], master: [node1], worker: ["node[2:3]"]}
  kubernetes: {version: ${version}, proxyMode: iptables}
  network: {plugin: flannel}
`,
  )
  await show(['plan', '-f', config, '--rehearse'], false)
  await show(['create', 'cluster', '-f', config, '--rehearse'], false)
}
