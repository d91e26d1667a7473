// Every way kubexm is installed brings its console: the single binary, the bundles, a clone that was never built.
import { cp, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildBinary } from '../../scripts/build-binary.ts'
import { buildPrograms } from '../../scripts/build-programs.ts'
import { buildWeb } from '../../scripts/build-web.ts'
import { root } from '../../scripts/run.ts'
import { type RunningCli, startProgram } from '../support/cli.ts'
import { inTemporaryDirectory } from '../support/engine-run.ts'

/** One of our programs as Node runs it. */
const programAt = (file: string): readonly string[] => [process.execPath, '--disable-warning=ExperimentalWarning', file]

/** Starts `serve` in an empty directory and gives its address; it must end well when told to. */
async function serving(command: readonly string[], use: (url: string, server: RunningCli) => Promise<void>): Promise<void> {
  await inTemporaryDirectory(async (home) => {
    const server = startProgram([...command, 'serve', '--listen', '127.0.0.1:0', '--directory', home], { cwd: home })
    try {
      const [, url = ''] = await server.until(/listening on (http:\/\/\S+)\n/)
      await use(url, server)
    } finally {
      server.child.kill('SIGTERM')
    }
    expect((await server.ended).code).toBe(0)
  })
}

/** The page comes, and everything it names, whatever path of the console is asked for first. */
async function expectConsole(url: string): Promise<void> {
  const page = await fetch(`${url}/`)
  expect([page.status, page.headers.get('content-type'), page.headers.get('cache-control')]).toEqual([
    200,
    'text/html; charset=utf-8',
    'no-cache',
  ])
  const html = await page.text()
  expect(await (await fetch(`${url}/jobs/5d0c7f1e`)).text()).toBe(html)
  const named = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '')
  expect(named.map((path) => path.replace(/^.*\./, '')).toSorted()).toEqual(['css', 'js', 'svg'])
  for (const path of named) {
    const file = await fetch(url + path)
    const content = await file.text()
    expect([path, file.status, content.length > 100]).toEqual([path, 200, true])
    expect(file.headers.get('content-type')).toMatch(/^(text\/(css|javascript)|image\/svg)/)
    expect(file.headers.get('cache-control')).toBe(path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache')
    expect(file.headers.get('content-encoding')).toBe('gzip')
    const plain = await fetch(url + path, { headers: { 'accept-encoding': 'identity' } })
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, content])
    const again = await fetch(url + path, { headers: { 'if-none-match': file.headers.get('etag') ?? '' } })
    expect([again.status, await again.text()]).toEqual([304, ''])
  }
  for (const path of ['/assets/', '/assets/nothing.js', '/index.html/..%2f..%2fetc/passwd', '/%2e%2e/package.json'])
    expect((await fetch(url + path)).status, path).toBe(404)
}

describe('the console', () => {
  it(
    'is inside the single binary',
    () =>
      inTemporaryDirectory(async (directory) => {
        await buildWeb(join(directory, 'console'))
        const binary = await buildBinary(directory, join(directory, 'console'))
        // Alone, far from the files it was made of.
        await inTemporaryDirectory(async (elsewhere) => {
          await rename(binary, join(elsewhere, 'kubexm'))
          await serving([join(elsewhere, 'kubexm')], expectConsole)
        })
      }),
    300_000,
  )

  it(
    'is beside the bundles, also under another name than dist, as in a container',
    () =>
      inTemporaryDirectory(async (directory) => {
        await buildWeb(join(directory, 'console'))
        await buildPrograms(directory)
        await serving(programAt(join(directory, 'kubexm.js')), expectConsole)
      }),
    300_000,
  )

  it(
    'is built by a clone at its first start, and again when its source is newer',
    () =>
      inTemporaryDirectory(async (clone) => {
        await copyOfClone(clone)
        await serving(programAt(join(clone, 'src/cli/main.ts')), async (url, server) => {
          expect(server.said()).toContain('building the console of this clone')
          await expectConsole(url)
        })
        await serving(programAt(join(clone, 'src/cli/main.ts')), async (url, server) => {
          expect(server.said()).not.toContain('building the console')
          await expectConsole(url)
        })
        await writeFile(join(clone, 'src/web/public/new.svg'), `<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(100)}</svg>`)
        await serving(programAt(join(clone, 'src/cli/main.ts')), async (url) => expect((await fetch(`${url}/new.svg`)).status).toBe(200))
      }),
    300_000,
  )

  it(
    'that cannot be built is told of, with what to do; the API answers',
    () =>
      inTemporaryDirectory(async (clone) => {
        await copyOfClone(clone)
        await writeFile(join(clone, 'scripts/build-web.ts'), 'throw new Error("there is no vite")')
        await serving(programAt(join(clone, 'src/cli/main.ts')), async (url, server) => {
          expect(server.said()).toMatch(/there is no vite(.|\n)*KX_CONSOLE_MISSING this server has no console: build it with npm run build/)
          const page = await fetch(url)
          expect([page.status, await page.json()]).toEqual([404, expect.objectContaining({ code: 'KX_CONSOLE_MISSING' })])
          expect((await fetch(`${url}/readyz`)).status).toBe(200)
        })
      }),
    300_000,
  )

  it('is refused where the named directory has none', () =>
    inTemporaryDirectory(async (home) => {
      const started = startProgram([join(root, 'kubexm'), 'serve', '--console', home], { cwd: home })
      expect(await started.ended).toMatchObject({ code: 2, stderr: expect.stringContaining('there is no index.html in it') })
    }))
})

async function copyOfClone(clone: string): Promise<void> {
  for (const part of ['src', 'scripts', 'data', 'package.json', 'tsconfig.json'])
    await cp(join(root, part), join(clone, part), { recursive: true })
  await symlink(join(root, 'node_modules'), join(clone, 'node_modules'))
}
