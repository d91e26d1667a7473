// The console in a real browser, on an api-server whose worker is the test: what is shown when, and five thousand steps.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jobOptions, submitJob } from '../../src/app/jobs/index.ts'
import { fail } from '../../src/error/index.ts'
import { errorToJson } from '../../src/event/index.ts'
import { eventually } from '../../src/util/eventually.ts'
import type { ErrorJson, Graph, GraphNode } from '../../src/web/api/types.ts'
import { openStage, picture, type Stage, startKubexm } from '../support/console.ts'
import { consoleConfig } from '../support/console-config.ts'
import { createPlanOf, stepsByTask, validCluster } from '../support/console-plan.ts'
import { PlayedJob, placeOf } from '../support/played-job.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage('api-server')
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** A job that waits for the test to run it, and its plan. */
async function submitted(name: string, hosts: number): Promise<{ readonly id: string; readonly plan: Graph }> {
  const text = consoleConfig(name, hosts)
  const wish = { pipeline: 'create-cluster', options: jobOptions(), requestedBy: 'ops' } as const
  const { id } = await submitJob(stage.jobs, { ...wish, text, cluster: validCluster(text) })
  return { id, plan: await createPlanOf(text) }
}

/** What the graph says of how many steps are in a state. */
const counted = (page: Page, state: string): Promise<string | null> =>
  page
    .locator('.legend li', { has: page.locator(`.state-${state}`) })
    .locator('b')
    .textContent({ timeout: 500 })
    .catch(() => null)
const until = async (page: Page, state: string, count: number): Promise<void> => {
  await expect.poll(() => counted(page, state), { timeout: 15_000 }).toBe(String(count))
}

const trouble = (node: GraphNode) =>
  errorToJson(
    fail(
      'KX_STEP_FAILED',
      { title: node.title, why: '"systemctl start etcd" ended with 1' },
      { where: placeOf(node), seen: 'Job for etcd.service failed because a timeout was exceeded.' },
    ),
  )

describe('a job that is watched', () => {
  it('shows the plan as soon as there is one, each step as it runs, the failure with its fix, and what comes after a resume', async () => {
    const { page, errors } = await stage.page()
    const { id, plan } = await submitted('watched', 6)
    await page.goto(`${stage.server.url}/jobs/${id}`)
    await page.getByText('Pending', { exact: true }).first().waitFor()
    await page.getByText('Not planned yet').waitFor()

    const job = await PlayedJob.take(stage.jobs, id)
    await job.begin(plan)
    await page.locator('canvas').waitFor()
    await page.getByText('Running', { exact: true }).first().waitFor()
    const tasks = [...stepsByTask(plan)]
    const at = tasks.findIndex(([task]) => task === 'etcd')
    let done = 0
    for (const [task, steps] of tasks.slice(0, at)) {
      const changes = { outcome: 'succeeded', changes: [{ does: `write /etc/kubexm/${task}.conf` }] }
      await job.run(steps, task === 'preflight' ? 400 : 1900, task === 'preflight' ? { outcome: 'satisfied' } : changes)
      done += steps.length
    }
    const etcd = tasks[at]?.[1] ?? []
    const failing = etcd.find(({ step }) => step === 'etcd.start') as GraphNode
    const before = etcd.filter((node) => etcd.indexOf(node) < etcd.indexOf(failing))
    await job.run(before, 1200)
    await job.tell([{ type: 'step.started', ...placeOf(failing) }], `${failing.title} on ${failing.host}`)
    await until(page, 'running', 1)
    await picture(page, 'job-running')

    job.wait(2000)
    await job.tell([{ type: 'step.line', stream: 'stderr', line: 'etcd: bind: address already in use', ...placeOf(failing) }])
    const error = trouble(failing)
    await job.tell([{ type: 'step.finished', outcome: 'failed', ms: 2000, error: error as unknown as ErrorJson, ...placeOf(failing) }])
    await job.end('failed', [error])
    const alert = page.getByRole('alert')
    await alert.getByText('"systemctl start etcd" ended with 1').waitFor()
    await alert.getByText('Job for etcd.service failed because a timeout was exceeded.').waitFor()
    await alert.locator('.fix').waitFor()
    await page.getByText('Failed', { exact: true }).first().waitFor()

    await page.getByRole('button', { name: 'Go to failure' }).click()
    const detail = page.getByRole('complementary', { name: 'Details' })
    await detail.getByRole('heading', { name: failing.title }).waitFor()
    await detail.locator('.fix').waitFor()
    await picture(page, 'job-failed')
    await detail.getByRole('button', { name: 'Show in log' }).click()
    await page.getByRole('log').getByText('etcd: bind: address already in use').waitFor()
    await page.getByRole('link', { name: 'Problems' }).click()
    await page.getByRole('button', { name: 'Show in graph' }).click()
    await page.locator('canvas').waitFor()

    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Pending', { exact: true }).first().waitFor()
    const again = await PlayedJob.take(stage.jobs, id)
    await again.begin(plan)
    const [known, rest] = [tasks.slice(0, at).flatMap(([, steps]) => steps), tasks.slice(at).flatMap(([, steps]) => steps)]
    expect(known).toHaveLength(done)
    await again.tell(known.map((node) => ({ type: 'step.finished', outcome: 'resumed', ms: 0, ...placeOf(node) })))
    await again.run(rest, 100)
    await again.end('success')
    await page.getByText('Succeeded', { exact: true }).first().waitFor()
    await until(page, 'resumed', known.length)
    await until(page, 'succeeded', rest.length)
    expect(await alert.count()).toBe(0)
    expect(errors).toEqual([])
  })

  it('is cancelled from the page, and says so while it is', async () => {
    const { page } = await stage.page()
    const { id, plan } = await submitted('cancelled', 3)
    const job = await PlayedJob.take(stage.jobs, id)
    await job.begin(plan)
    await job.tell([{ type: 'step.started', ...placeOf(plan.nodes[1] as GraphNode) }])
    await page.goto(`${stage.server.url}/jobs/${id}`)
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await page.getByText('Cancelling', { exact: true }).waitFor()
    expect(await job.isToStop()).toBe(true)
    await job.tell([{ type: 'pipeline.cancelling', reason: 'asked for' }])
    await job.end('cancelled')
    await page.getByText('Cancelled', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
  })

  it('goes on where it was when the server comes back, and misses nothing', async () => {
    const { page } = await stage.page()
    const { id, plan } = await submitted('interrupted', 3)
    const job = await PlayedJob.take(stage.jobs, id)
    await job.begin(plan)
    await page.goto(`${stage.server.url}/jobs/${id}/log?level=debug`)
    const line = (n: number) => ({
      type: 'step.line',
      stream: 'stdout' as const,
      line: `line ${n}.`,
      ...placeOf(plan.nodes[1] as GraphNode),
    })
    await job.tell([line(1), line(2)])
    await page.getByText('line 2.').waitFor()
    const { port } = stage.server
    await stage.server[Symbol.asyncDispose]()
    await page.getByText('Connection lost').waitFor()
    await job.tell([line(3)])
    stage.server = await startKubexm('api-server', { directory: stage.directory, console: stage.console, port })
    await page.getByText('line 3.').waitFor()
    await job.tell([line(4)])
    await page.getByText('line 4.').waitFor()
    expect(await page.getByText(/^line \d\.$/).allTextContents()).toEqual(['line 1.', 'line 2.', 'line 3.', 'line 4.'])
    await job.end('success')
  })
})

/** Frames and the longest pause between two, while the view moves for so long. */
interface Motion {
  readonly perSecond: number
  readonly longest: number
}

/** Turns the wheel on the canvas at every frame: as text, since it is run in the browser. */
const pan = `new Promise((resolve) => {
  const canvas = document.querySelector('canvas')
  const times = []
  const turn = (now) => {
    times.push(now)
    const there = Math.floor(times.length / 40) % 2 === 0 ? 1 : -1
    canvas.dispatchEvent(new WheelEvent('wheel', { deltaX: 9 * there, deltaY: 14 * there, bubbles: true, cancelable: true, clientX: 400, clientY: 500 }))
    if (now - times[0] < 3000) requestAnimationFrame(turn)
    else {
      const gaps = times.slice(1).map((time, at) => time - times[at])
      resolve({ perSecond: 1000 * gaps.length / (now - times[0]), longest: Math.max(...gaps) })
    }
  }
  requestAnimationFrame(turn)
})`

describe('a graph of five thousand steps', () => {
  it('is there within two seconds and moves smoothly, closed and opened', async () => {
    const { id, plan } = await submitted('large', 100)
    expect(plan.nodes.length).toBeGreaterThan(5000)
    const job = await PlayedJob.take(stage.jobs, id)
    await job.begin(plan)
    const tasks = [...stepsByTask(plan)].slice(0, -8)
    for (const [, steps] of tasks) await job.run(steps, 1500)
    const { page, errors } = await stage.page()
    const loads: number[] = []
    // The best of three: other work on the machine is not what is measured.
    for (let load = 0; load < 3; load++) {
      await page.goto(`${stage.server.url}/jobs/${id}`)
      const mark = 'performance.getEntriesByName("kubexm.graph")[0]?.startTime ?? null'
      const seen = await eventually(async () => (await page.evaluate(mark)) as number | null, { every: 50, within: 20_000 })
      loads.push(seen ?? Number.POSITIVE_INFINITY)
    }
    const closed = (await page.evaluate(pan)) as Motion
    await page.getByRole('button', { name: 'Open all tasks' }).click()
    await page.getByRole('button', { name: 'Show all' }).click()
    await picture(page, 'large')
    const opened = (await page.evaluate(pan)) as Motion
    await page.getByRole('searchbox').fill('node42 containerd')
    const found = plan.nodes.filter(({ host, task }) => host === 'node42' && task === 'containerd').length
    await page.locator('.search output').getByText(String(found), { exact: true }).waitFor()
    await page.getByRole('searchbox').press('Enter')
    await page.getByRole('complementary', { name: 'Details' }).getByText('node42').waitFor()
    await until(
      page,
      'succeeded',
      tasks.reduce((sum, [, steps]) => sum + steps.length, 0),
    )
    const figures = `seen after ${loads.map(Math.round).join(', ')} ms; closed ${text(closed)}; all opened ${text(opened)}`
    // biome-ignore lint/suspicious/noConsole: figures for whoever runs it
    console.log(`a graph of ${plan.nodes.length} nodes: ${figures}`)
    expect(Math.min(...loads)).toBeLessThan(2000)
    expect(closed.perSecond).toBeGreaterThan(20)
    expect(opened.perSecond).toBeGreaterThan(10)
    expect(errors).toEqual([])
    await job.end('cancelled')
  })
})

const text = ({ perSecond, longest }: Motion): string => `${Math.round(perSecond)} frames/s, longest ${Math.round(longest)} ms`
