// Builds the console: static files that the API server gives out.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'vite'
import { root } from './run.ts'

/** Where the console is built to, and served from. */
export const webDirectory = join(root, 'dist/console')

/** Builds the console. Nothing in it is fetched from elsewhere, and nothing is inlined, so that a strict content policy can hold. */
export async function buildWeb(outDir: string = webDirectory): Promise<void> {
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
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildWeb()
