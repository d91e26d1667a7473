import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'
import { root } from '../../scripts/run.ts'
import { openJobs } from '../../src/app/jobs/index.ts'
import { createToken, type TokenRole } from '../../src/store/index.ts'
import { eventually } from '../../src/util/eventually.ts'

/** A server program of kubexm, as a process of its own. */
export interface ServerProcess extends AsyncDisposable {
  readonly url: string
  readonly port: number
  /** What it said so far. */
  said(): string
}

/** Starts `kubexm serve` or `kubexm api-server` on the loopback. */
export async function startKubexm(
  program: 'serve' | 'api-server',
  { directory, console, port = 0 }: { readonly directory: string; readonly console: string; readonly port?: number },
): Promise<ServerProcess> {
  const args = [program, '--directory', directory, '--listen', `127.0.0.1:${port}`, '--console', console, '--rate-limit', '100000']
  const child = spawn(join(root, 'kubexm'), args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    output += piece
  })
  const url = await eventually(async () => {
    if (child.exitCode !== null) throw new Error(`kubexm ${program} ended: ${output}`)
    return /listening on (http:\S+)/.exec(output)?.[1] ?? null
  }, { every: 50, within: 30_000 })
  return { url, port: Number(new URL(url).port), said: () => output, [Symbol.asyncDispose]: () => ended(child) }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const late = setTimeout(() => child.kill('SIGKILL'), 8000)
  await exit
  clearTimeout(late)
}

/** Makes a token in the job database of a directory. */
export async function tokenIn(directory: string, role: TokenRole): Promise<string> {
  await using jobs = await openJobs({ directory, env: {} })
  return (await createToken(jobs.database, { name: role, role, lifetime: null })).value
}

/** Starts a real browser. */
export async function startBrowser(): Promise<Browser> {
  return playwright.launch({ executablePath: await chromium.executablePath(), args: chromium.args, headless: true })
}

/** A page of the console in a browser of its own, signed in; errors in it are kept for the test to look at. */
export async function signedIn(
  browser: Browser,
  url: string,
  token: string,
  { width = 1360, height = 850, dark = false }: { readonly width?: number; readonly height?: number; readonly dark?: boolean } = {},
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light', locale: 'en-GB', timezoneId: 'UTC' })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(url)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  return { page, errors }
}

/** Keeps a picture for the documents, when `KUBEXM_PICTURES` asks for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.KUBEXM_PICTURES === undefined) return
  const directory = join(root, 'docs/images')
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `console-${name}.png`) })
}
