// Makes what is published: a bundle per program, and one binary that needs nothing installed.
import { chmod, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { buildWeb } from './build-web.ts'
import { root, run } from './run.ts'

const dist = join(root, 'dist')
const write = (text: string): void => void process.stdout.write(text)

await rm(dist, { recursive: true, force: true })
await mkdir(dist, { recursive: true })
await buildWeb(join(dist, 'console'))

const common = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  minify: true,
  legalComments: 'none',
  // Native parts that make ssh2 faster where they are installed; the bundle works without them.
  external: ['cpu-features', '*.node', 'pg-native'],
  logLevel: 'warning',
} satisfies BuildOptions

await build({
  ...common,
  entryPoints: {
    kubexm: join(root, 'src/cli/main.ts'),
    'kubexm-worker': join(root, 'src/cli/worker-main.ts'),
    'kubexm-api-server': join(root, 'src/cli/api-server-main.ts'),
  },
  outdir: dist,
  format: 'esm',
  // What the programs share is there once, and what a command does not need is not loaded.
  splitting: true,
  chunkNames: 'parts/[hash]',
  // Packages written for require() find it in the bundle, and the place of the file they are in.
  banner: {
    js: [
      `import { createRequire as kxRequire } from 'node:module'; const require = kxRequire(import.meta.url);`,
      `const __filename = import.meta.filename; const __dirname = import.meta.dirname;`,
    ].join(' '),
  },
})

const bundle = join(dist, 'kubexm.cjs')
await build({
  ...common,
  entryPoints: [join(root, 'src/cli/binary.ts')],
  outfile: bundle,
  format: 'cjs',
  define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename', 'import.meta.url': 'kxUrl' },
  banner: { js: `const kxUrl = require('node:url').pathToFileURL(__filename).href;` },
})

const blob = join(dist, 'kubexm.blob')
const config = join(dist, 'sea.json')
await writeFile(config, JSON.stringify({ main: bundle, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true }))
await must('node', ['--experimental-sea-config', config])
const binary = join(dist, `kubexm-linux-${process.arch}`)
await copyFile(process.execPath, binary)
await chmod(binary, 0o755)
await must('postject', [binary, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'])
for (const temporary of [blob, config, bundle]) await rm(temporary)
write(`${binary}: ${Math.round((await stat(binary)).size / 2 ** 20)} MiB\n`)

async function must(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(command, args)
  if (code !== 0) throw new Error(`${command} failed:\n${output}`)
}
