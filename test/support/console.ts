import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import chromium from '@sparticuz/chromium'
import { type Browser, type Page, chromium as playwright } from 'playwright-core'
import { buildWeb } from '../../scripts/build-web.ts'
import { root } from '../../scripts/run.ts'
import { type Jobs, openJobs } from '../../src/app/jobs/index.ts'
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
  const main = join(root, 'src/cli/main.ts')
  const args = [
    '--disable-warning=ExperimentalWarning',
    main,
    program,
    '--directory',
    directory,
    '--listen',
    `127.0.0.1:${port}`,
    '--console',
    console,
    '--rate-limit',
    '100000',
  ]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    output += piece
  })
  const url = await eventually(
    async () => {
      if (child.exitCode !== null) throw new Error(`kubexm ${program} ended: ${output}`)
      return /listening on (http:\S+)/.exec(output)?.[1] ?? null
    },
    { every: 50, within: 30_000 },
  )
  if (url === null) throw new Error(`kubexm ${program} does not listen: ${output}`)
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

/** Everything a test of the console needs: the console built, a server that gives it out, and a browser. */
export interface Stage extends AsyncDisposable {
  readonly directory: string
  readonly console: string
  readonly jobs: Jobs
  readonly browser: Browser
  server: ServerProcess
  /** A page, signed in with a token of a role. */
  page(role?: TokenRole, look?: Look): Promise<{ readonly page: Page; readonly errors: string[] }>
}

/** Sets the stage. */
export async function openStage(program: 'serve' | 'api-server'): Promise<Stage> {
  await using opened = new AsyncDisposableStack()
  const directory = await mkdtemp(join(tmpdir(), 'kubexm-console-'))
  opened.defer(() => rm(directory, { recursive: true, force: true }))
  const console = join(directory, 'console')
  await buildWeb(console)
  const jobs = opened.use(await openJobs({ directory, env: {} }))
  let server = await startKubexm(program, { directory, console })
  // A test may put another one in its place.
  opened.defer(() => server[Symbol.asyncDispose]())
  const browser = await startBrowser()
  opened.defer(() => browser.close())
  const owned = opened.move()
  const stage: Stage = {
    directory,
    console,
    jobs,
    browser,
    get server() {
      return server
    },
    set server(another) {
      server = another
    },
    page: async (role = 'operator', look = {}) => {
      const { value } = await createToken(jobs.database, { name: role, role, lifetime: null })
      return signedIn(browser, stage.server.url, value, look)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
  return stage
}

/** A page of the console of a server that runs already, signed in with a token; its browser is gone when disposed. */
export async function openConsole(
  url: string,
  token: string,
): Promise<AsyncDisposable & { readonly page: Page; readonly errors: string[] }> {
  const browser = await startBrowser()
  try {
    return { ...(await signedIn(browser, url, token, {})), [Symbol.asyncDispose]: () => browser.close() }
  } catch (error) {
    await browser.close()
    throw error
  }
}

/** Starts a real browser, with its own guards on: the package's usual flags switch them off, and put all pages into one process. */
async function startBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: ['--no-sandbox', '--font-render-hinting=none'],
    headless: true,
  })
}

/** How a browser looks at the console. */
interface Look {
  readonly width?: number
  readonly height?: number
  readonly dark?: boolean
  readonly language?: string
}

/** A page of the console in a browser of its own, signed in; errors in it are kept for the test to look at. */
async function signedIn(
  browser: Browser,
  url: string,
  token: string,
  { width = 1360, height = 850, dark = false, language = 'en-GB' }: Look,
): Promise<{ readonly page: Page; readonly errors: string[] }> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    locale: language,
    timezoneId: 'UTC',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  await page.goto(url)
  await page.getByLabel(/Access token|访问令牌/).fill(token)
  await page.getByRole('button', { name: /^(Sign in|登录)$/ }).click()
  await page.getByRole('navigation').first().waitFor()
  return { page, errors }
}

/** Keeps a picture for the documents, when `KUBEXM_PICTURES` asks for it. */
export async function picture(page: Page, name: string): Promise<void> {
  if (process.env.KUBEXM_PICTURES === undefined) return
  const directory = join(root, 'docs/images')
  await mkdir(directory, { recursive: true })
  await page.screenshot({ path: join(directory, `console-${name}.png`) })
}
