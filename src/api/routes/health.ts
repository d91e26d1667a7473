import * as z from 'zod'
import { isReady } from '../../store/index.ts'
import type { ApiContext, Server } from '../context.ts'

/** What those who watch over the server ask. */
export function registerHealth(server: Server, { jobs, metrics }: ApiContext): void {
  const status = z.object({ status: z.string() })
  server.get('/healthz', { schema: { tags: ['health'], response: { 200: status } } }, async () => ({ status: 'ok' }))
  server.get('/readyz', { schema: { tags: ['health'], response: { 200: status, 503: status } } }, async (_, reply) => {
    if (await isReady(jobs.database)) return { status: 'ready' }
    return reply.status(503).send({ status: 'the job database does not answer' })
  })
  server.get(
    '/metrics',
    {
      schema: { tags: ['health'], summary: 'Figures in the text format of Prometheus' },
      config: { role: 'viewer' },
      serializerCompiler: () => (text) => String(text),
    },
    async (_, reply) => reply.type(metrics.contentType).send(await metrics.text()),
  )
}
