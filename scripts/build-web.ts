// Builds the console: static files that the API server gives out.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { root } from './run.ts'

/** Builds the console. Nothing in it is fetched from elsewhere, and nothing is inlined, so that a strict content policy can hold. */
export async function buildWeb(outDir: string = join(root, 'dist/console')): Promise<void> {
  // It decides which React is built in; a test that builds the console wants the one that is shipped.
  const before = process.env.NODE_ENV
  process.env.NODE_ENV = 'production'
  try {
    await build({
      configFile: false,
      root: join(root, 'src/web'),
      logLevel: 'warn',
      build: {
        outDir,
        emptyOutDir: true,
        target: 'es2024',
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    })
  } finally {
    if (before === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = before
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildWeb(process.argv[2])
