import * as z from 'zod'
import { jobGraph } from '../../app/jobs/index.ts'
import { cursorOf, findJob, listJobs, requestCancel, requestResume } from '../../store/index.ts'
import { type ApiContext, languageOf, type Server } from '../context.ts'
import { byId, graphShape, jobShape, pageOf, paging, statusShape } from '../schemas.ts'
import { graphText, jobOf } from '../shapes.ts'

/** Jobs: what there is, how it stands, and stopping and continuing it. */
export function registerJobs(server: Server, { jobs }: ApiContext): void {
  const { database } = jobs
  server.get(
    '/api/v1/jobs',
    {
      schema: {
        tags: ['jobs'],
        summary: 'Jobs, newest first',
        querystring: z.strictObject({ ...paging, cluster: z.string().max(253).optional(), status: statusShape.optional() }),
        response: { 200: pageOf(jobShape) },
      },
      config: { role: 'viewer' },
    },
    async (request) => {
      const { limit, after, cluster, status } = request.query
      const found = await listJobs(database, {
        limit,
        ...(after === undefined ? {} : { after }),
        ...(cluster === undefined ? {} : { cluster }),
        ...(status === undefined ? {} : { status }),
      })
      const last = found.at(-1)
      const language = languageOf(request)
      return { items: found.map((job) => jobOf(job, language)), next: last === undefined || found.length < limit ? null : cursorOf(last) }
    },
  )
  server.get(
    '/api/v1/jobs/:id',
    { schema: { tags: ['jobs'], params: byId, response: { 200: jobShape } }, config: { role: 'viewer' } },
    async (request) => jobOf(await findJob(database, request.params.id), languageOf(request)),
  )
  server.get(
    '/api/v1/jobs/:id/graph',
    {
      schema: { tags: ['jobs'], summary: 'The plan and how each node stands', params: byId, response: { 200: graphShape } },
      config: { role: 'viewer' },
      serializerCompiler: () => (text) => String(text),
    },
    async (request, reply) => {
      const { id, pipeline } = await findJob(database, request.params.id)
      const text = graphText(await jobGraph(database, id, pipeline), languageOf(request))
      return reply.type('application/json; charset=utf-8').send(text as never)
    },
  )
  for (const [verb, change] of [
    ['cancel', requestCancel],
    ['resume', requestResume],
  ] as const)
    server.post(
      `/api/v1/jobs/:id/${verb}`,
      { schema: { tags: ['jobs'], params: byId, response: { 202: jobShape } }, config: { role: 'operator', audit: `${verb} job` } },
      async (request, reply) => {
        request.auditTarget = request.params.id
        return reply.status(202).send(jobOf(await change(database, request.params.id), languageOf(request)))
      },
    )
}
