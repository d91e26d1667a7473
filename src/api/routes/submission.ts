import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { type PipelineName, usualLoss } from '../../app/index.ts'
import { type JobOptions, jobOptions } from '../../app/jobs/index.ts'
import type { Cluster } from '../../config/index.ts'
import { fail } from '../../error/index.ts'
import { ownerOf } from '../context.ts'
import { runOptions } from '../schemas.ts'

/** How jobs may be asked to run, by any route that submits one. */
export const runQuery = z.strictObject(runOptions)

type RunQuery = z.output<typeof runQuery>

/** How a job is to be run: as the request says, and where it says nothing as the command line would. */
export function optionsOf(query: RunQuery, pipeline: PipelineName, cluster: Cluster): JobOptions {
  const { rollback_on_failure: rollbackOnFailure = false, limit_hosts: limitHosts = [] } = query
  const unknown = limitHosts.filter((name) => !cluster.spec.hosts.some((host) => host.name === name))
  if (unknown.length > 0)
    throw fail('KX_REQUEST', { what: `limit_hosts names ${unknown.join(', ').slice(0, 200)}, which the config does not have` })
  const maxFailed = query.max_failed ?? usualLoss(cluster, pipeline, rollbackOnFailure)
  if (maxFailed > 0 && rollbackOnFailure)
    throw fail('KX_REQUEST', { what: 'max_failed (or ignoreErr) goes on after a failure, rollback_on_failure goes back: give one of them' })
  return jobOptions({
    rehearse: query.rehearse ?? false,
    realTime: query.real_time ?? false,
    rollbackOnFailure,
    parallel: query.parallel ?? null,
    limitHosts,
    maxFailed,
  })
}

/** Who wants it, and under which key: keys of different people do not meet. */
export function wishOf(request: FastifyRequest): { readonly requestedBy: string; readonly idempotencyKey?: string } {
  const key = request.headers['idempotency-key']
  const requestedBy = ownerOf(request)
  if (key === undefined) return { requestedBy }
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw fail('KX_REQUEST', { what: 'an Idempotency-Key has 1 to 200 printable characters without blanks' })
  return { requestedBy, idempotencyKey: `${request.owner?.id ?? ''}/${key}` }
}
