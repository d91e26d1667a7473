import { existsSync } from 'node:fs'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { labExec } from './exec.ts'
import { requireLab } from './record.ts'
import { labStatus } from './status.ts'

/** What is asked of every running host. */
const questions: Readonly<Record<string, readonly string[]>> = {
  'journal.log': ['journalctl', '--no-pager', '-o', 'short-precise'],
  'units.txt': ['systemctl', 'list-units', '--all', '--no-pager', '--no-legend'],
  'processes.txt': ['ps', '-eo', 'pid,ppid,user,stat,etime,args'],
  'network.txt': ['sh', '-c', 'ip address; ip route; ip -6 route; ss -tlnp; nft list ruleset'],
  'mounts.txt': ['cat', '/proc/self/mountinfo'],
}

/** Keeps the logs of a lab and the state of its hosts in a directory, for somebody who was not there. */
export async function keepEvidence(name: string, directory: string): Promise<void> {
  const { paths, record } = await requireLab(name)
  const status = await labStatus(name)
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'status.json'), JSON.stringify(status, null, 2))
  if (existsSync(paths.supervisorLog)) await cp(paths.supervisorLog, join(directory, 'supervisor.log'))
  for (const { name: host } of record.hosts) {
    const own = join(directory, host)
    await mkdir(own, { recursive: true })
    if (existsSync(paths.host(host).console)) await cp(paths.host(host).console, join(own, 'console.log'))
    if (status.hosts.find((one) => one.name === host)?.state !== 'running') continue
    for (const [file, argv] of Object.entries(questions)) {
      const { stdout, stderr } = await labExec(name, host, argv)
      await writeFile(join(own, file), stdout + stderr)
    }
  }
}
