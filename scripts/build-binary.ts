// Makes the single binary: Node itself, the whole program as one file, and the console, in one file that needs nothing installed.
import { chmod, copyFile, readdir, rm, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { build } from 'esbuild'
import { programBuild } from './build-programs.ts'
import { root, run } from './run.ts'

/** Builds the binary into a directory, with the console that was built into another; gives its path. */
export async function buildBinary(directory: string, console: string): Promise<string> {
  const [bundle, blob, config] = ['kubexm.cjs', 'kubexm.blob', 'sea.json'].map((name) => join(directory, name)) as [string, string, string]
  await build({
    ...programBuild,
    entryPoints: [join(root, 'src/cli/binary.ts')],
    outfile: bundle,
    format: 'cjs',
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename', 'import.meta.url': 'kxUrl' },
    banner: { js: `const kxUrl = require('node:url').pathToFileURL(__filename).href;` },
  })
  const settings = { main: bundle, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true, assets: await assetsOf(console) }
  await writeFile(config, JSON.stringify(settings))
  await must('node', ['--experimental-sea-config', config])
  const binary = join(directory, `kubexm-linux-${process.arch}`)
  await copyFile(process.execPath, binary)
  await chmod(binary, 0o755)
  await must('postject', [binary, 'NODE_SEA_BLOB', blob, '--sentinel-fuse', 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'])
  for (const temporary of [blob, config, bundle]) await rm(temporary)
  return binary
}

/** The files of the console by the names the program asks for them: see src/cli/console.ts. */
async function assetsOf(console: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(console, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(files.map((file) => [`console/${relative(console, file)}`, file]))
}

async function must(command: string, args: readonly string[]): Promise<void> {
  const { code, output } = await run(command, args)
  if (code !== 0) throw new Error(`${command} failed:\n${output}`)
}
