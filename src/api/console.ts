import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail } from '../error/index.ts'
import type { Server } from './context.ts'

/** A file of the console: its path as a browser asks for it, without the first slash. */
export interface ConsoleFile {
  readonly path: string
  readonly content: Uint8Array
}

/** The files of a console that was built into a directory; null where there is none. */
export async function consoleIn(directory: string): Promise<readonly ConsoleFile[] | null> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => [])
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const files = await Promise.all(paths.map(async (path) => ({ path: path.slice(directory.length + 1), content: await readFile(path) })))
  return files.some(({ path }) => path === page) ? files : null
}

const page = 'index.html'
/** Whatever path of its own the console shows, a browser that begins there gets the same page. */
const pagePaths = ['/', `/${page}`, '/jobs', '/jobs/*', '/clusters', '/clusters/*', '/new', '/sign-in', '/settings']

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Gives the console out, from memory: the files are few, and no path that is asked for leads to a disk. */
export function registerConsole(server: Server, files: readonly ConsoleFile[] | null): void {
  const hidden = { schema: { hide: true } as never }
  if (files === null) {
    server.get('/', hidden, async () => {
      throw fail('KX_CONSOLE_MISSING', {})
    })
    return
  }
  for (const { path, content } of files) {
    const send = senderOf(path, content)
    for (const url of path === page ? pagePaths : [`/${path}`]) server.get(url, hidden, async (request, reply) => send(request, reply))
  }
}

function senderOf(path: string, content: Uint8Array): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const type = types[extname(path)] ?? 'application/octet-stream'
  const tag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
  // What is in assets/ has its hash in its name: another content is another file.
  const caching = path.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache'
  const whole = Buffer.from(content)
  const small = gzipSync(whole)
  return (request, reply) => {
    reply.headers({ 'content-type': type, 'cache-control': caching, etag: tag, vary: 'accept-encoding' })
    if (request.headers['if-none-match'] === tag) return reply.status(304).send()
    return /\bgzip\b/.test(request.headers['accept-encoding'] ?? '')
      ? reply.header('content-encoding', 'gzip').send(small)
      : reply.send(whole)
  }
}
