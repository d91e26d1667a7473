import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { labDown, labExec, labNetns, labStatus, labStatuses, labUp, sweepOrphans, thisProcess } from '../../src/lab/index.ts'
import { supervisorOf } from '../../src/lab/launch.ts'
import { labPaths } from '../../src/lab/paths.ts'
import { eventually } from '../../src/util/eventually.ts'
import { type MachineSnapshot, snapshotMachine } from '../support/machine-snapshot.ts'
import { describeLab, testLabName } from '../support/with-lab.ts'

const labModule = fileURLToPath(new URL('../../src/lab/index.ts', import.meta.url))

describeLab('the life of a lab', () => {
  let before: MachineSnapshot

  beforeAll(async () => {
    await sweepOrphans()
    const others = (await labStatuses()).map(({ name }) => name)
    expect(others, 'the machine is compared before and after, which other labs would disturb: take these down first').toEqual([])
    // The first lab on a machine installs tools and builds the root image: not part of the figures below.
    await upAndDown(1)
    before = await snapshotMachine()
  })

  afterAll(async () => {
    for (const { name, owner } of await labStatuses()) if (owner?.pid === process.pid) await labDown(name)
  })

  test.for([
    { hosts: 3, withinSeconds: 10, withinMiB: 1024 },
    { hosts: 20, withinSeconds: 30, withinMiB: 3072 },
  ])('$hosts hosts are up within $withinSeconds s and $withinMiB MiB, and leave nothing', async ({ hosts, withinSeconds, withinMiB }) => {
    const { upMs, downMs, memoryMiB } = await upAndDown(hosts)
    process.stderr.write(`lab of ${hosts}: up ${upMs} ms, ${memoryMiB} MiB, down ${downMs} ms\n`)
    expect(upMs).toBeLessThan(withinSeconds * 1000)
    expect(memoryMiB).toBeLessThan(withinMiB)
    expect(await snapshotMachine()).toEqual(before)
  })

  // From before the lab is registered to after its hosts run.
  test.for([150, 400, 700, 1000, 1500, 3000])('nothing is left of an `up` that was killed after %i ms', async (delay) => {
    const name = testLabName()
    const child = spawn(process.execPath, [
      '--input-type=module',
      '-e',
      `const { labUp } = await import('${labModule}'); await labUp({ name: '${name}', hosts: 2 })`,
    ])
    const ended = new Promise((resolve) => child.on('exit', resolve))
    await new Promise((resolve) => setTimeout(resolve, delay))
    child.kill('SIGKILL')
    await ended
    await labDown(name).catch((error) => expect(error).toMatchObject({ code: 'KX_LAB_UNKNOWN' }))
    // A supervisor that was just being started finds its lab gone and ends by itself.
    const after = await eventually(
      async () => {
        const now = await snapshotMachine()
        return now.processes.length === before.processes.length ? now : null
      },
      { every: 100, within: 5000 },
    )
    expect(after).toEqual(before)
    await expect(labStatus(name)).rejects.toMatchObject({ code: 'KX_LAB_UNKNOWN' })
  })

  test('a lab whose supervisor was killed says so, comes up again with its disks, and can be taken down', async () => {
    const name = testLabName()
    await labUp({ name, hosts: 2, owner: thisProcess() })
    await labExec(name, 'node1', ['sh', '-c', 'echo kept >/root/mark; echo kept >/var/lib/mark; echo lost >/run/mark'])
    await killSupervisor(name)
    expect(await labStatus(name)).toMatchObject({ supervisor: 'gone', hosts: [{ state: 'running' }, { state: 'running' }] })
    const again = await labUp({ name, owner: thisProcess() })
    expect(again).toMatchObject({ supervisor: 'running', hosts: [{ state: 'running' }, { state: 'running' }] })
    expect((await labExec(name, 'node1', ['cat', '/root/mark', '/var/lib/mark', '/run/mark'])).stdout).toBe('kept\nkept\n')
    await killSupervisor(name)
    await labDown(name)
    expect(await snapshotMachine()).toEqual(before)
  })

  test('labs live side by side without seeing each other, and only the last one to go restores the machine', async () => {
    const [one, two] = [testLabName(), testLabName()]
    await Promise.all([labUp({ name: one, hosts: 1, owner: thisProcess() }), labUp({ name: two, hosts: 1, owner: thisProcess() })])
    const ids = await Promise.all([one, two].map(async (name) => (await labExec(name, 'node1', ['cat', '/etc/machine-id'])).stdout))
    expect(ids[0]).not.toBe(ids[1])
    expect(labNetns(one)).not.toBe(labNetns(two))
    await labExec(one, 'node1', ['sysctl', '-qw', 'kernel.panic=17'])
    // The comparison sees a lab that is there; and even then the machine's own network is untouched.
    const during = await snapshotMachine()
    for (const part of ['mounts', 'namespaces', 'cgroups', 'processes', 'runtimeFiles', 'sysctls'] as const) {
      expect.soft(during[part], part).not.toEqual(before[part])
    }
    expect(during).toMatchObject({ links: before.links, routes: before.routes })
    await labDown(one)
    expect((await labStatus(two)).hosts[0]?.state).toBe('running')
    expect((await snapshotMachine()).sysctls['kernel/panic']).toBe('17')
    await labDown(two)
    expect(await snapshotMachine()).toEqual(before)
  })

  test('a second `up` of a running lab is refused and leaves it alone', async () => {
    const name = testLabName()
    await labUp({ name, hosts: 1, owner: thisProcess() })
    await expect(labUp({ name, hosts: 1 })).rejects.toMatchObject({ code: 'KX_LAB_EXISTS' })
    expect((await labStatus(name)).hosts[0]?.state).toBe('running')
    await labDown(name)
  })
})

async function upAndDown(hosts: number): Promise<{ upMs: number; downMs: number; memoryMiB: number }> {
  const name = testLabName()
  const start = Date.now()
  const status = await labUp({ name, hosts, owner: thisProcess() })
  const up = Date.now()
  expect(status.hosts.map(({ state }) => state)).toEqual(Array(hosts).fill('running'))
  await labDown(name)
  return { upMs: up - start, downMs: Date.now() - up, memoryMiB: Math.round((status.memoryBytes ?? Number.NaN) / 1024 / 1024) }
}

async function killSupervisor(name: string): Promise<void> {
  const supervisor = await supervisorOf(labPaths(name))
  expect(supervisor).not.toBeNull()
  if (supervisor === null) return
  process.kill(supervisor.pid, 'SIGKILL')
  await eventually(async () => ((await supervisorOf(labPaths(name))) === null ? true : null), { every: 20, within: 5000 })
}
