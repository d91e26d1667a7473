// Jobs on real hosts: sent with curl alone, followed, and finished whatever happens to the worker.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as passed } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Job, type Jobs, openJobs } from '../../src/app/jobs/index.ts'
import { fillReferences } from '../../src/config/index.ts'
import { parseLedger } from '../../src/ledger/index.ts'
import { hostPaths } from '../../src/runner/index.ts'
import { createToken, readEvents } from '../../src/store/index.ts'
import { startCli } from '../support/cli.ts'
import { type ClusterLab, inClusterLab } from '../support/cluster-lab.ts'
import { proveCluster } from '../support/cluster-proof.ts'
import { openConsole } from '../support/console.ts'
import { diffSnapshots, snapshotHost } from '../support/host-snapshot.ts'
import { isDone, until } from '../support/job-runs.ts'
import { recordsIn, secretsOf, tellings } from '../support/secrets.ts'
import { describeLab, type TestLab } from '../support/with-lab.ts'

const launcher = join(import.meta.dirname, '../../kubexm')
const version = 'v1.34.4'

interface Worker {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  said(): string
}

/** A worker in the network of the hosts; the database is in the work directory. */
function startWorker({ lab, directory, env }: ClusterLab): Worker {
  const argv = [`--net=${lab.netns}`, launcher, 'worker', '--directory', directory]
  const child = spawn('nsenter', argv, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  return { child, ended: once(child, 'exit'), said: () => said }
}

const stop = async ({ child, ended }: Worker, signal: NodeJS.Signals = 'SIGTERM'): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill(signal)
  await ended
}

/** Records a job that stops when the container runtime is there. */
async function submit(cluster: ClusterLab): Promise<string> {
  const { stdout } = await cluster.kubexm('create', 'cluster', '--until', 'runtime', '--detach')
  const [, id] = /^Job created with ID: (\S+)\. /.exec(stdout) ?? []
  if (id === undefined) throw new Error(stdout)
  return id
}

/** Waits until kubexm is in the middle of changing the hosts. */
const begun = (lab: TestLab, host: string): Promise<string> =>
  lab.onHost(host, `until [ "$(wc -l < ${hostPaths.ledger} 2>/dev/null || echo 0)" -gt 12 ]; do sleep 0.05; done`)

async function expectWhole({ lab }: ClusterLab): Promise<void> {
  for (const { name } of lab.hosts) {
    const things = parseLedger(await lab.onHost(name, `cat ${hostPaths.ledger}`), name).map((entry) => `${entry.kind} ${entry.id}`)
    expect(things).toEqual([...new Set(things)])
    expect(await lab.onHost(name, 'crictl version')).toContain('containerd')
  }
}

/** That its connections are closed is all that may be seen of the one that woke. */
const isNoLogin = ({ name }: { readonly name: string }): boolean =>
  !/^session-\d+\.scope$|systemd-user-runtime-dir|^root \S*sshd/.test(name)

const outcomes = async ({ database }: Jobs, { id }: Job): Promise<readonly string[]> =>
  (await readEvents(database, id, 0, 100_000)).flatMap(({ type, json }) =>
    type === 'step.finished' ? [JSON.parse(json).outcome as string] : [],
  )

describeLab('a job', () => {
  test('whose worker is killed in the middle of a create is finished by another, from where it was', () =>
    inClusterLab(2, { version }, async (cluster) => {
      await using jobs = await openJobs({ directory: cluster.directory, env: {} })
      const id = await submit(cluster)
      const first = startWorker(cluster)
      await begun(cluster.lab, 'node2')
      await stop(first, 'SIGKILL')
      const second = startWorker(cluster)
      try {
        const job = await until(jobs, id, isDone, 300_000)
        expect(job).toMatchObject({ status: 'Success', attempt: 2 })
        expect((await outcomes(jobs, job)).filter((outcome) => outcome === 'resumed').length).toBeGreaterThan(5)
        await expectWhole(cluster)
      } finally {
        await stop(second)
      }
    }))

  test('whose worker is paused is taken over; when it wakes it changes nothing', () =>
    inClusterLab(2, { version }, async (cluster) => {
      await using jobs = await openJobs({ directory: cluster.directory, env: {} })
      const id = await submit(cluster)
      const paused = startWorker(cluster)
      await begun(cluster.lab, 'node2')
      paused.child.kill('SIGSTOP')
      const second = startWorker(cluster)
      try {
        expect(await until(jobs, id, isDone, 300_000)).toMatchObject({ status: 'Success', attempt: 2 })
        await stop(second)
        const before = await Promise.all(cluster.lab.hosts.map(({ name }) => snapshotHost(cluster.lab, name)))
        paused.child.kill('SIGCONT')
        await passed(8000)
        expect(paused.said()).toMatch(/KX_JOB_LOST|KX_FENCED/)
        const after = await Promise.all(cluster.lab.hosts.map(({ name }) => snapshotHost(cluster.lab, name)))
        for (const [i, snapshot] of before.entries())
          expect(diffSnapshots(snapshot, after[i] as typeof snapshot).filter(isNoLogin)).toEqual([])
        expect(await until(jobs, id, isDone)).toMatchObject({ status: 'Success', attempt: 2 })
        await expectWhole(cluster)
      } finally {
        paused.child.kill('SIGCONT')
        await stop(second)
        await stop(paused)
      }
    }))

  test('sent with curl alone ends in a working cluster, seen by all, its secrets by none', () =>
    inClusterLab(
      2,
      { version, user: 'root' },
      async (cluster) => {
        const { lab, directory, config } = cluster
        await using jobs = await openJobs({ directory, env: {} })
        const { value: token } = await createToken(jobs.database, { name: 'curl', role: 'operator', lifetime: null })
        const sent = join(directory, 'sent.yaml')
        const text = await fillReferences(await readFile(config, 'utf8'), { directory, ask: async () => null })
        await writeFile(sent, text)
        const server = startCli(['api-server', '--directory', directory, '--listen', '127.0.0.1:0'], { cwd: directory })
        const [, url = ''] = await server.until(/listening on (http:\/\/\S+)\n/)
        const worker = startWorker(cluster)
        try {
          const curl = (...args: readonly string[]) => run('curl', ['-sS', '-H', `Authorization: Bearer ${token}`, ...args])
          const posted = await curl(
            '-X',
            'POST',
            '--data-binary',
            `@${sent}`,
            '-H',
            'Content-Type: application/yaml',
            `${url}/api/v1/clusters`,
          )
          const { job_id: id } = JSON.parse(posted) as { job_id: string }
          const followed = await curl('-N', `${url}/api/v1/jobs/${id}/events`)
          expect(followed).toMatch(/event: end\ndata: .*"status":"Success"/)
          const nodes = [
            { name: 'node1', roles: ['control-plane'] as const },
            { name: 'node2', roles: ['worker'] as const },
          ]
          await proveCluster(lab, { nodes, version, master: 'node1' })
          expect(await run(launcher, ['get', 'job', id, '--directory', directory])).toMatch(/Status: +Success/)
          const detail = JSON.parse(await curl(`${url}/api/v1/clusters/${(await until(jobs, id, isDone)).cluster}`))
          expect(detail).toMatchObject({ state: 'present', nodes: [{ name: 'node1' }, { name: 'node2' }] })
          expect(detail.certificates.length).toBeGreaterThan(2)
          await using console = await openConsole(url, token)
          await console.page.goto(`${url}/jobs/${id}/log?level=debug`)
          await console.page.locator('.job-head').getByText('Succeeded', { exact: true }).waitFor()
          await console.page.getByRole('log').getByText('The run ended: success').waitFor()
          const shown = [await console.page.content()]
          await console.page.goto(`${url}/clusters/${detail.name}`)
          await console.page.getByText('kubernetes/apiserver', { exact: true }).waitFor()
          await console.page.getByRole('button', { name: 'Show config' }).click()
          await console.page.getByRole('dialog').getByText('***').first().waitFor()
          shown.push(await console.page.content())
          expect(console.errors).toEqual([])

          const secrets = await secretsOf(directory, lab.name, sent)
          expect(Object.keys(secrets).length).toBeGreaterThan(8)
          expect(
            tellings(secrets, { followed, detail: JSON.stringify(detail), shown: shown.join('\n'), ...(await recordsIn(directory)) }),
          ).toEqual([])
        } finally {
          await stop(worker)
          server.child.kill('SIGTERM')
          await server.ended
        }
      },
      { kubernetes: [version] },
    ))
})

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  await once(child, 'close')
  return out
}
