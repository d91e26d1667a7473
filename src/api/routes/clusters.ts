import * as z from 'zod'
import { clusterConfig, clusterSummary, clusterView, submitJob } from '../../app/jobs/index.ts'
import { jsonSchema, type ParseResult, parseCluster } from '../../config/index.ts'
import { fail } from '../../error/index.ts'
import { listClusters, listJobs } from '../../store/index.ts'
import { type ApiContext, languageOf, type Server } from '../context.ts'
import { InvalidConfig } from '../errors.ts'
import { acceptedShape, byName, clusterDetailShape, clusterShape, pageOf, paging, validationShape } from '../schemas.ts'
import { clusterDetailOf, clusterOf, problemOf } from '../shapes.ts'
import { registerWork } from './cluster-work.ts'
import { optionsOf, runQuery, wishOf } from './submission.ts'

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
        querystring: runQuery,
        response: { 202: acceptedShape },
      },
      config: { role: 'operator', audit: 'create cluster' },
    },
    async (request, reply) => {
      const { cluster, errors, warnings } = read(request.body)
      if (cluster === null) throw new InvalidConfig(errors)
      request.auditTarget = cluster.metadata.name
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
