// Bundles the programs: what npm installs, and what a container runs.
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { root } from './run.ts'

/** What all builds of the program have in common. */
export const programBuild = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  minify: true,
  legalComments: 'none',
  // Native parts that make ssh2 faster where they are installed; the bundle works without them.
  external: ['cpu-features', '*.node', 'pg-native'],
  logLevel: 'warning',
} satisfies BuildOptions

/** Builds a bundle per program into a directory. */
export async function buildPrograms(outdir: string): Promise<void> {
  await build({
    ...programBuild,
    entryPoints: {
      kubexm: join(root, 'src/cli/main.ts'),
      'kubexm-worker': join(root, 'src/cli/worker-main.ts'),
      'kubexm-api-server': join(root, 'src/cli/api-server-main.ts'),
    },
    outdir,
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
}
