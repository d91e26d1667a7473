// Draws docs/images/preflight.svg: a real preflight of three real hosts with twelve problems. Needs a machine that can have a lab.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { labClusterYaml, labDown, labUp } from '../src/lab/index.ts'
import { breakages, breakHosts, brokenHosts, noSwapView } from '../test/support/broken-hosts.ts'
import { setInConfig } from '../test/support/config-file.ts'
import { testLab } from '../test/support/with-lab.ts'
import { root } from './run.ts'
import { terminalSvg } from './terminal-svg.ts'

const name = 'picture'
const columns = 112
const shown = [
  ...['KX_MEMORY_TOO_SMALL', 'KX_PORT_TAKEN', 'KX_FOREIGN_RUNTIME', 'KX_RESOLV_MISSING'],
  ...['KX_SWAP_ON', 'KX_FIREWALL_ON', 'KX_HOSTNAME', 'KX_FOREIGN_KUBERNETES', 'KX_CIDR_ROUTE'],
  ...['KX_CPU_TOO_FEW', 'KX_CLOCK_APART', 'KX_DISK_TOO_SMALL'],
]

const directory = await mkdtemp(join(tmpdir(), 'kubexm-picture-'))
const config = join(directory, 'cluster.yaml')
await labUp({ name, hosts: brokenHosts })
try {
  const lab = await testLab(name)
  for (const host of ['node1', 'node3']) await lab.onHost(host, noSwapView)
  await breakHosts(
    lab,
    breakages.filter(({ code }) => shown.includes(code)),
  )
  await writeFile(config, await labClusterYaml(name))
  // What the lab's machine is like is no problem of these hosts.
  await setInConfig(config, { 'preflight.skipChecks': ['KX_NAMESERVER_SILENT', 'KX_CGROUP_V1_AGING'] })
  const command = `stty cols ${columns}; env -u NO_COLOR ${join(root, 'kubexm')} preflight -f ${config} --directory ${directory}`
  const { stdout } = await lab.inNetwork(['script', '-qec', command, '/dev/null'], { env: { TERM: 'xterm-256color' } })
  const problems = stdout.match(/KX_\w+/g)?.length ?? 0
  if (problems !== shown.length) throw new Error(`${problems} problems instead of ${shown.length}:\n${stdout}`)
  await writeFile(join(root, 'docs/images/preflight.svg'), terminalSvg(stdout, { columns, title: 'kubexm preflight -f cluster.yaml' }))
} finally {
  await labDown(name)
  await rm(directory, { recursive: true, force: true })
}
