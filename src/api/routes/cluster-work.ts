import type * as z from 'zod'
import type { PipelineName } from '../../app/index.ts'
import { knownCluster, submitForCluster } from '../../app/jobs/index.ts'
import type { ApiContext, Server } from '../context.ts'
import { acceptedShape, byName, deleteOptions } from '../schemas.ts'
import { optionsOf, runQuery, wishOf } from './submission.ts'

interface Work {
  readonly method: 'POST' | 'DELETE'
  readonly url: string
  readonly summary: string
  /** Its name in the audit log. */
  readonly audit: string
  readonly query: typeof runQuery | typeof deleteQuery
}

const deleteQuery = runQuery.extend(deleteOptions)

/** Every operation on a cluster that is known, and where it is asked for. The one that is not here comes with a config of its own. */
const work: Readonly<Record<Exclude<PipelineName, 'create-cluster'>, Work>> = {
  'delete-cluster': {
    method: 'DELETE',
    url: '/api/v1/clusters/:name',
    summary: 'Removes what kubexm installed; a host that cannot be reached is left out',
    audit: 'delete cluster',
    query: deleteQuery,
  },
  preflight: {
    method: 'POST',
    url: '/api/v1/clusters/:name/preflight',
    summary: 'All checks on all hosts; changes nothing',
    audit: 'preflight',
    query: runQuery,
  },
}

/** Work on clusters that are known, one route for each operation there is. */
export function registerWork(server: Server, { jobs }: ApiContext): void {
  for (const [pipeline, { method, url, summary, audit, query }] of Object.entries(work) as readonly [keyof typeof work, Work][])
    server.route({
      method,
      url,
      schema: { tags: ['clusters'], summary, params: byName, querystring: query, response: { 202: acceptedShape } },
      config: { role: 'operator', audit },
      handler: async (request, reply) => {
        const { name } = request.params
        const asked: z.output<typeof deleteQuery> = request.query
        request.auditTarget = name
        const options = { ...optionsOf(asked, pipeline, await knownCluster(jobs, name)), purgeData: asked.purge_data ?? false }
        const job = await submitForCluster(jobs, name, { pipeline, options, ...wishOf(request) })
        request.auditTarget = `${name} (job ${job.id})`
        return reply.status(202).header('location', `/api/v1/jobs/${job.id}`).send({ job_id: job.id, warnings: [] })
      },
    })
}
