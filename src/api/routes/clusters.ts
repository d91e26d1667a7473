import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { PipelineName } from '../../app/index.ts'
import {
  clusterConfig,
  clusterSummary,
  clusterView,
  type JobOptions,
  jobOptions,
  submitForCluster,
  submitJob,
} from '../../app/jobs/index.ts'
import { type Cluster, jsonSchema, type ParseResult, parseCluster } from '../../config/index.ts'
import { fail } from '../../error/index.ts'
import { listClusters, listJobs } from '../../store/index.ts'
import { type ApiContext, languageOf, ownerOf, type Server } from '../context.ts'
import { InvalidConfig } from '../errors.ts'
import { acceptedShape, byName, clusterDetailShape, clusterShape, pageOf, paging, runOptions, validationShape } from '../schemas.ts'
import { clusterDetailOf, clusterOf, problemOf } from '../shapes.ts'

/** A config as it is sent; bytes beyond this are not even read. */
const largestBody = 2 * 1024 * 1024

const configTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml', 'text/plain', 'application/json']

/** Clusters: submitting configs, and what is known of those submitted. */
export function registerClusters(server: Server, context: ApiContext): void {
  // JSON is YAML too: the text is kept as it came, so that problems are shown where they are.
  void server.register(async (configs) => {
    configs.removeAllContentTypeParsers()
    configs.addContentTypeParser(configTypes, { parseAs: 'string', bodyLimit: largestBody }, (_, body, done) => done(null, body))
    registerSubmission(configs as unknown as Server, context)
  })
  registerLooks(server, context)
  registerWork(server, context)
}

function registerSubmission(server: Server, context: ApiContext): void {
  const { jobs, trustConfigs } = context
  const read = (text: string): ParseResult => parseCluster(text, 'cluster.yaml', { portable: !trustConfigs })

  server.post(
    '/api/v1/clusters',
    {
      bodyLimit: largestBody,
      schema: {
        tags: ['clusters'],
        summary: 'Creates a cluster, or continues and repairs it',
        consumes: configTypes,
        body: z.string(),
        querystring: z.strictObject(runOptions),
        response: { 202: acceptedShape },
      },
      config: { role: 'operator', audit: 'create cluster' },
    },
    async (request, reply) => {
      const { cluster, errors, warnings } = read(request.body)
      if (cluster === null) throw new InvalidConfig(errors)
      request.auditTarget = cluster.metadata.name
      checkHosts(request.query.limit_hosts ?? [], cluster)
      const job = await submitJob(jobs, {
        text: request.body,
        cluster,
        pipeline: 'create-cluster',
        options: optionsOf(request.query, 'create-cluster', cluster),
        ...wishOf(request),
      })
      request.auditTarget = `${job.cluster} (job ${job.id})`
      const language = languageOf(request)
      return reply
        .status(202)
        .header('location', `/api/v1/jobs/${job.id}`)
        .send({ job_id: job.id, warnings: warnings.map((found) => problemOf(found, language)) })
    },
  )
  server.post(
    '/api/v1/configs/validate',
    {
      bodyLimit: largestBody,
      schema: {
        tags: ['configs'],
        summary: 'Checks a config',
        consumes: configTypes,
        body: z.string(),
        response: { 200: validationShape },
      },
      config: { role: 'viewer' },
    },
    async (request) => {
      const language = languageOf(request)
      const { cluster, errors, warnings } = read(request.body)
      return {
        valid: cluster !== null,
        cluster: cluster?.metadata.name ?? null,
        errors: errors.map((found) => problemOf(found, language)),
        warnings: warnings.map((found) => problemOf(found, language)),
      }
    },
  )
}

function registerLooks(server: Server, { jobs }: ApiContext): void {
  server.get(
    '/api/v1/configs/schema',
    { schema: { tags: ['configs'], summary: 'The JSON Schema of a config', response: { 200: z.any() } }, config: { role: 'viewer' } },
    async () => jsonSchema(),
  )
  server.get(
    '/api/v1/clusters',
    {
      schema: { tags: ['clusters'], querystring: z.strictObject(paging), response: { 200: pageOf(clusterShape) } },
      config: { role: 'viewer' },
    },
    async (request) => {
      const { limit, after } = request.query
      const records = await listClusters(jobs.database, { limit, ...(after === undefined ? {} : { after }) })
      const items = await Promise.all(records.map(async (record) => clusterOf(await clusterSummary(jobs, record), languageOf(request))))
      return { items, next: records.length < limit ? null : (records.at(-1)?.name ?? null) }
    },
  )
  server.get(
    '/api/v1/clusters/:name',
    { schema: { tags: ['clusters'], params: byName, response: { 200: clusterDetailShape } }, config: { role: 'viewer' } },
    async (request) => {
      const { name } = request.params
      const cluster = await clusterView(jobs, name)
      if (cluster === null) throw fail('KX_CLUSTER_UNKNOWN', { cluster: name })
      return clusterDetailOf(cluster, await listJobs(jobs.database, { cluster: name, limit: 20 }), languageOf(request))
    },
  )
  server.get(
    '/api/v1/clusters/:name/config',
    {
      schema: { tags: ['clusters'], summary: 'The last submitted config, secrets hidden', params: byName, response: { 200: z.string() } },
      config: { role: 'viewer' },
      // Text that is sent as it is: not as a JSON string.
      serializerCompiler: () => (text) => String(text),
    },
    async (request, reply) => reply.type('application/yaml; charset=utf-8').send(await clusterConfig(jobs, request.params.name)),
  )
}

function registerWork(server: Server, { jobs }: ApiContext): void {
  const submit = async (request: FastifyRequest, name: string, pipeline: 'delete-cluster' | 'preflight', options: JobOptions) => {
    request.auditTarget = name
    const job = await submitForCluster(jobs, name, { pipeline, options, ...wishOf(request) })
    request.auditTarget = `${name} (job ${job.id})`
    return job
  }
  const query = z.strictObject(runOptions)
  const deletion = z.strictObject({ ...runOptions, purge_data: runOptions.rehearse })
  const about = { tags: ['clusters'], params: byName, response: { 202: acceptedShape } }

  server.delete(
    '/api/v1/clusters/:name',
    { schema: { ...about, querystring: deletion }, config: { role: 'operator', audit: 'delete cluster' } },
    async (request, reply) => {
      const options = { ...optionsOf(request.query, 'delete-cluster'), purgeData: request.query.purge_data ?? false }
      const job = await submit(request, request.params.name, 'delete-cluster', options)
      return reply.status(202).header('location', `/api/v1/jobs/${job.id}`).send({ job_id: job.id, warnings: [] })
    },
  )
  server.post(
    '/api/v1/clusters/:name/preflight',
    { schema: { ...about, querystring: query }, config: { role: 'operator', audit: 'preflight' } },
    async (request, reply) => {
      const job = await submit(request, request.params.name, 'preflight', optionsOf(request.query, 'preflight'))
      return reply.status(202).header('location', `/api/v1/jobs/${job.id}`).send({ job_id: job.id, warnings: [] })
    },
  )
}

type RunQuery = z.output<z.ZodObject<typeof runOptions>>

function checkHosts(wanted: readonly string[], { spec }: Cluster): void {
  const unknown = wanted.filter((name) => !spec.hosts.some((host) => host.name === name))
  if (unknown.length > 0)
    throw fail('KX_REQUEST', { what: `limit_hosts names ${unknown.join(', ').slice(0, 200)}, which the config does not have` })
}

/** A host that is gone for good must not keep the others from being cleaned: a delete goes on without it. */
const optionsOf = (query: RunQuery, pipeline: PipelineName, cluster?: Cluster): JobOptions =>
  jobOptions({
    rehearse: query.rehearse ?? false,
    realTime: query.real_time ?? false,
    rollbackOnFailure: query.rollback_on_failure ?? false,
    parallel: query.parallel ?? null,
    limitHosts: query.limit_hosts ?? [],
    maxFailed:
      cluster?.spec.global.ignoreErr === true || (pipeline === 'delete-cluster' && query.rollback_on_failure !== true)
        ? Number.POSITIVE_INFINITY
        : 0,
  })

/** Who wants it, and under which key: keys of different people do not meet. */
function wishOf(request: FastifyRequest): { readonly requestedBy: string; readonly idempotencyKey?: string } {
  const key = request.headers['idempotency-key']
  const requestedBy = ownerOf(request)
  if (key === undefined) return { requestedBy }
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,200}$/.test(key))
    throw fail('KX_REQUEST', { what: 'an Idempotency-Key has 1 to 200 printable characters without blanks' })
  return { requestedBy, idempotencyKey: `${request.owner?.id ?? ''}/${key}` }
}
