// The console in a real browser on a real `kubexm serve`: everything a person does with it, from the first sign-in on.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPki, diskStore } from '../../src/pki/index.ts'
import { workPaths } from '../../src/runtime/index.ts'
import { openStage, picture, type Stage } from '../support/console.ts'
import { consoleConfig, hiddenPassword } from '../support/console-config.ts'
import { validCluster } from '../support/console-plan.ts'

let stage: Stage

beforeAll(async () => {
  stage = await openStage('serve')
})
afterAll(() => stage?.[Symbol.asyncDispose]())

const editor = (page: Page) => page.getByRole('textbox', { name: 'Config (YAML)' })
const status = (page: Page, text: string) => page.locator('.job-head').getByText(text, { exact: true }).waitFor({ timeout: 60_000 })

/** Writes a config into the editor and submits it as a rehearsal. */
async function rehearse(page: Page, config: string, slowly = false): Promise<void> {
  await page.goto(`${stage.server.url}/new`)
  await editor(page).fill(config)
  await page.getByLabel(/Rehearse on simulated hosts/).check()
  if (slowly) await page.getByLabel('As slowly as real hosts').check()
  await page.getByRole('button', { name: 'Rehearse', exact: true }).click()
  await page.locator('.job-head').waitFor()
}

describe('the console', () => {
  it('lets nobody in without a token, and keeps none where a script could read it', async () => {
    const page = await stage.browser.newPage()
    await page.goto(`${stage.server.url}/jobs`)
    await page.getByLabel('Access token').fill('kxt_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('KX_UNAUTHORIZED').waitFor()
    expect(await page.getByRole('navigation').count()).toBe(0)
    await page.close()
    const { page: inside } = await stage.page('viewer')
    expect(await inside.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')).not.toContain('kxt_')
    await inside.getByRole('button', { name: 'Sign out' }).click()
    await inside.getByLabel('Access token').waitFor()
    await inside.reload()
    await inside.getByLabel('Access token').waitFor()
  })

  it('marks what is wrong in a config where it is, while it is written', async () => {
    const { page, errors } = await stage.page()
    await page.getByRole('link', { name: 'New cluster' }).click()
    await editor(page).fill(consoleConfig('mended', 3).replace('port: 22', 'prot: 22').replace('"node[2:3]"', '"node[2:9]"'))
    const verdict = page.locator('.verdict')
    await verdict.getByText(/^\d errors/).waitFor()
    await verdict.getByText('spec.hosts[0].prot').waitFor()
    const wrong = await page.locator('.gutter .error').allTextContents()
    expect(wrong).toContain('7')
    expect(await page.locator('.paper .marked.error').first().textContent()).toBe('prot')
    expect(await page.getByRole('button', { name: 'Create cluster' }).isDisabled()).toBe(true)
    await picture(page, 'new')
    await editor(page).press('Control+Home')
    await editor(page).press('F8')
    await page.keyboard.type('port')
    await verdict.getByText('spec.hosts[0].prot').waitFor({ state: 'detached' })
    expect(errors).toEqual([])
  })

  it('submits, shows the run until it succeeded, and then the cluster', async () => {
    const { page, errors } = await stage.page()
    await rehearse(page, consoleConfig('shown', 5))
    await status(page, 'Succeeded')
    await page.locator('canvas').waitFor()
    await page.getByRole('link', { name: 'Timeline' }).click()
    await page.locator('.timeline canvas').waitFor()
    await picture(page, 'timeline')
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByRole('log').getByText('The run ended: success').waitFor()
    await page.getByPlaceholder('Filter by text').fill('node3 containerd')
    await page.getByRole('log').locator('.log-line').first().waitFor()
    for (const host of await page.locator('.log-line .at:nth-child(2)').allTextContents()) expect(host).toBe('node3')
    await picture(page, 'log')
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Download log' }).click()])
    expect(await download.failure()).toBeNull()

    await page.getByRole('link', { name: 'shown' }).click()
    await page.getByRole('heading', { name: 'Nodes' }).waitFor()
    expect(await page.locator('.table-frame').first().locator('tbody tr').count()).toBe(5)
    await page.getByText('kubernetes', { exact: true }).waitFor()
    await page.getByRole('heading', { name: 'History' }).waitFor()
    await page.getByRole('button', { name: 'Show config' }).click()
    const config = page.getByRole('dialog').locator('pre')
    await config.getByText('kind: Cluster').waitFor()
    expect(await config.textContent()).toMatch(/password: .?\*\*\*/)
    expect(await page.content()).not.toContain(hiddenPassword)
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: 'Clusters' }).first().click()
    await page.getByRole('link', { name: 'shown' }).waitFor()
    expect(errors).toEqual([])
  })

  it('shows the certificates of a cluster, the one that ends first on top', async () => {
    const cluster = validCluster(consoleConfig('shown', 5))
    await createPki({ cluster, store: diskStore(workPaths(stage.directory, 'shown')) }).issue()
    const { page } = await stage.page('viewer')
    await page.goto(`${stage.server.url}/clusters/shown`)
    const rows = page.locator('.table-frame', { hasText: 'Valid until' }).locator('tbody tr')
    await rows.first().waitFor()
    const left = (await rows.locator('td:last-child').allTextContents()).map((text) => Number.parseInt(text, 10))
    expect(left.length).toBeGreaterThan(10)
    expect(left).toEqual(left.toSorted((a, b) => a - b))
    expect(await rows.filter({ hasText: 'CA' }).count()).toBeGreaterThanOrEqual(3)
    await picture(page, 'cluster')
  })

  it('shows why a job failed and what to do, in both languages, and tries again', async () => {
    const { page, errors } = await stage.page()
    await page.goto(`${stage.server.url}/new`)
    // Nothing listens on the first port of these loopback addresses.
    await editor(page).fill(consoleConfig('unreachable', 2, { address: '127.0.9', port: 1 }))
    await page.getByRole('button', { name: 'Create cluster' }).click()
    await status(page, 'Failed')
    const alert = page.getByRole('alert')
    await alert.getByText('KX_HOSTS_UNREACHABLE').waitFor()
    const english = await alert.locator('.fix').textContent()
    expect(english?.replace('Fix', '').trim()).not.toBe('')
    await page.getByRole('button', { name: '中文' }).click()
    await expect.poll(() => alert.locator('.fix').textContent()).not.toBe(english)
    await page.getByRole('button', { name: 'English' }).click()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.locator('.facts').getByText('Attempt').waitFor()
    await status(page, 'Failed')
    expect(errors).toEqual([])
  })

  it('cancels a running job and resumes it', async () => {
    const { page, errors } = await stage.page()
    await rehearse(page, consoleConfig('stopped', 3), true)
    await page.locator('canvas').waitFor()
    await page.getByRole('button', { name: 'Cancel', exact: true }).click()
    await page.getByRole('button', { name: 'Cancel the job' }).click()
    await status(page, 'Cancelled')
    await page.getByRole('button', { name: 'Resume' }).click()
    await status(page, 'Succeeded')
    await page.goto(`${stage.server.url}/jobs?cluster=stopped`)
    await page.getByRole('cell', { name: 'Succeeded' }).waitFor()
    await page.getByRole('searchbox').fill('')
    await page.getByRole('link', { name: 'unreachable' }).waitFor()
    await picture(page, 'jobs')
    expect(errors).toEqual([])
  })

  it('lets viewers look only', async () => {
    const { page } = await stage.page('viewer')
    await page.goto(`${stage.server.url}/jobs`)
    await page
      .getByRole('link', { name: /Create cluster/ })
      .first()
      .click()
    await page.locator('.job-head').waitFor()
    expect(await page.getByRole('link', { name: 'New cluster' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(0)
    await page.goto(`${stage.server.url}/new`)
    await page.getByText('Your token may only look').waitFor()
  })
})

describe('the console, however it is looked at', () => {
  const pages = ['/clusters', '/jobs', '/new', '/clusters/shown']

  it('can be used with the keyboard alone', async () => {
    const { page } = await stage.page()
    await page.goto(`${stage.server.url}/jobs?cluster=shown`)
    const link = page.getByRole('link', { name: /Create cluster/ }).first()
    await link.focus()
    await page.keyboard.press('Enter')
    const canvas = page.locator('canvas')
    await canvas.waitFor()
    const focused = (): Promise<unknown> => page.evaluate('document.activeElement.tagName')
    for (let presses = 0; presses < 40 && (await focused()) !== 'CANVAS'; presses++) await page.keyboard.press('Tab')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    const detail = page.getByRole('complementary', { name: 'Details' })
    const task = await detail.getByRole('heading').first().textContent()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await detail.getByText('Host', { exact: true }).waitFor()
    expect(await detail.getByRole('heading').first().textContent()).not.toBe(task)
    await page.keyboard.press('Escape')
    expect(await detail.getByRole('heading').first().textContent()).toBe(task)
    await page.keyboard.press('/')
    await page.keyboard.type('etcd')
    expect(await page.getByRole('searchbox').inputValue()).toBe('etcd')
  })

  it.each([
    ['on a phone', { width: 390, height: 780 }],
    ['on a phone, in the dark', { width: 390, height: 780, dark: true }],
    ['in Chinese', { language: 'zh-CN' }],
  ])('fits %s', async (name, look) => {
    const { page, errors } = await stage.page('operator', look)
    for (const path of pages) {
      await page.goto(`${stage.server.url}${path}`)
      await page.locator('main h1').waitFor()
      const overflow = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number
      expect([path, overflow <= 0]).toEqual([path, true])
    }
    await page.goto(`${stage.server.url}/jobs?cluster=shown`)
    await page.locator('td a').first().click()
    await page.locator('canvas').waitFor()
    const ground = await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    expect(ground === 'rgb(255, 255, 255)').toBe(!('dark' in look))
    if ('dark' in look) await picture(page, 'phone')
    if (name === 'in Chinese') expect(await page.locator('.top nav').textContent()).toBe('集群任务新建集群')
    expect(errors).toEqual([])
  })

  it('is dark when the system is, and as it is told', async () => {
    const { page } = await stage.page('operator', { dark: true })
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    expect(await ground()).toBe('rgb(20, 24, 29)')
    await page.goto(`${stage.server.url}/jobs?cluster=shown`)
    await page.locator('td a').first().click()
    await page.locator('canvas').waitFor()
    await picture(page, 'dark')
    await page.getByRole('button', { name: /^Colours/ }).click()
    expect(await ground()).toBe('rgb(255, 255, 255)')
    await page.reload()
    await page.locator('canvas').waitFor()
    expect(await ground()).toBe('rgb(255, 255, 255)')
  })
})
