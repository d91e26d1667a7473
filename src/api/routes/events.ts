import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { isOver } from '../../app/jobs/index.ts'
import { fail } from '../../error/index.ts'
import { eventFromJson } from '../../event/index.ts'
import { isShown, logLine, logText } from '../../sink/index.ts'
import { findJob, lastEvents, readEvents, type StoredEvent } from '../../store/index.ts'
import type { Json } from '../../util/json.ts'
import { type ApiContext, languageOf, type Server } from '../context.ts'
import { byId, pageOf, paging, storedEventShape } from '../schemas.ts'
import { jobOf } from '../shapes.ts'
import { openStream, type Stream } from '../stream.ts'

const mostStreams = 2000
const atOnce = 500

const position = z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)

/** The events of a job: as a stream, page by page, and as a log. */
export function registerEvents(server: Server, context: ApiContext): void {
  const { jobs, hub, metrics } = context
  const { database } = jobs
  const streams = new Set<Stream>()

  const follow = async (
    request: FastifyRequest,
    reply: FastifyReply,
    use: (stream: Stream) => Promise<void>,
    type: string,
  ): Promise<void> => {
    if (streams.size >= mostStreams) throw fail('KX_TOO_MANY_STREAMS', { count: streams.size })
    const stream = openStream(request, reply, type)
    streams.add(stream)
    metrics.streams(streams.size)
    try {
      await use(stream)
    } catch (error) {
      // The answer has begun: the client sees it break off, and asks again with what it has.
      request.log.warn({ err: error }, 'a stream broke off')
    } finally {
      stream.end()
      streams.delete(stream)
      metrics.streams(streams.size)
    }
  }
  server.addHook('preClose', async () => {
    for (const stream of streams) stream.end()
  })

  server.get(
    '/api/v1/jobs/:id/events',
    {
      schema: {
        tags: ['jobs'],
        summary: 'Server-Sent Events, from the one after Last-Event-ID; with Accept: application/json a page of them',
        params: byId,
        querystring: z.strictObject({ limit: paging.limit, after: position.optional() }),
        response: { 200: pageOf(storedEventShape), 204: z.null() },
      },
      config: { role: 'viewer' },
    },
    async (request, reply) => {
      const job = await findJob(database, request.params.id)
      const after = request.query.after ?? lastEventId(request)
      if (!(request.headers.accept ?? '').includes('text/event-stream')) {
        if ((request.headers.accept ?? '').includes('application/json')) return pageOfEvents(context, job.id, after, request.query.limit)
      }
      // A browser asks again when a stream ends: this is how it learns that there is no more.
      if (isOver(job.status) && after > 0 && after >= ((await lastEvents(database, [job.id])).get(job.id) ?? 0))
        return reply.status(204).send(null)
      await follow(
        request,
        reply,
        async (stream) => {
          await stream.write('retry: 1000\n\n')
          for await (const events of hub.follow(job.id, after, stream.closed)) await stream.write(events.map(({ frame }) => frame).join(''))
          if (stream.closed.aborted) return
          const end = jobOf(await findJob(database, job.id), languageOf(request))
          await stream.write(`event: end\ndata: ${JSON.stringify(end)}\n\n`)
        },
        'text/event-stream',
      )
    },
  )

  server.get(
    '/api/v1/jobs/:id/logs',
    {
      schema: {
        tags: ['jobs'],
        summary: 'The log, as text or as JSON lines',
        params: byId,
        querystring: z.strictObject({
          format: z.enum(['text', 'json']).default('text'),
          level: z.enum(['debug', 'info', 'warn', 'error']).default('info'),
          follow: z.enum(['true', 'false', '']).optional(),
          after: position.default(0),
        }),
      },
      config: { role: 'viewer' },
    },
    async (request, reply) => {
      const { id } = await findJob(database, request.params.id)
      const { format, level, after } = request.query
      const line = (event: StoredEvent): string => {
        const run = eventFromJson(JSON.parse(event.json) as { readonly [key: string]: Json })
        const text = logText(run)
        if (text === null || !isShown(text.level, level)) return ''
        return format === 'json' ? `${JSON.stringify({ seq: event.seq, ...logLine(run) })}\n` : `${text.text}\n`
      }
      const type = format === 'json' ? 'application/x-ndjson' : 'text/plain; charset=utf-8'
      const wantsMore = request.query.follow !== undefined && request.query.follow !== 'false'
      const write = async (stream: Stream, events: readonly StoredEvent[]): Promise<void> => stream.write(events.map(line).join(''))
      await follow(
        request,
        reply,
        async (stream) => {
          if (wantsMore) for await (const events of hub.follow(id, after, stream.closed)) await write(stream, events)
          else for await (const events of pagesOf(context, id, after)) await write(stream, events)
        },
        type,
      )
    },
  )
}

/** Where a client that lost its connection was. */
function lastEventId({ headers }: FastifyRequest): number {
  const given = headers['last-event-id']
  if (given === undefined || given === '') return 0
  if (typeof given !== 'string' || !/^\d{1,15}$/.test(given)) throw fail('KX_REQUEST', { what: 'Last-Event-ID is the number of an event' })
  return Number(given)
}

async function pageOfEvents({ jobs }: ApiContext, id: string, after: number, limit: number) {
  const events = await readEvents(jobs.database, id, after, limit)
  const items = events.map(({ seq, json }) => ({ seq, event: JSON.parse(json) as { type: string; at: string } }))
  return { items, next: events.length < limit ? null : String(events.at(-1)?.seq) }
}

async function* pagesOf({ jobs }: ApiContext, id: string, after: number): AsyncGenerator<readonly StoredEvent[]> {
  for (let last = after; ; ) {
    const page = await readEvents(jobs.database, id, last, atOnce)
    if (page.length > 0) yield page
    if (page.length < atOnce) return
    last = page.at(-1)?.seq ?? last
  }
}
