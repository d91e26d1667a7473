import { randomUUID } from 'node:crypto'
import cookie from '@fastify/cookie'
import helmet from '@fastify/helmet'
import rateLimit from '@fastify/rate-limit'
import swagger from '@fastify/swagger'
import fastify, { type FastifyServerOptions, LogController } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject, serializerCompiler, validatorCompiler } from 'fastify-type-provider-zod'
import type { Jobs } from '../app/jobs/index.ts'
import { fail } from '../error/index.ts'
import type { ServiceMetrics } from '../sink/index.ts'
import { version } from '../util/version.ts'
import { registerAudit } from './audit.ts'
import { registerAuth } from './auth.ts'
import { type ConsoleFile, registerConsole } from './console.ts'
import type { ApiContext, Server } from './context.ts'
import { registerErrors } from './errors.ts'
import { EventHub } from './event-hub.ts'
import { registerClusters } from './routes/clusters.ts'
import { registerEvents } from './routes/events.ts'
import { registerHealth } from './routes/health.ts'
import { registerJobs } from './routes/jobs.ts'
import { registerSession } from './routes/session.ts'
import { registerTokens } from './routes/tokens.ts'

/** What a server is made of. */
export interface ServerOptions {
  readonly jobs: Jobs
  readonly metrics: ServiceMetrics
  readonly tls: { readonly cert: string; readonly key: string } | null
  /** Requests a minute from one address. */
  readonly rateLimit: number
  readonly trustConfigs: boolean
  /** The console; null: there is none. */
  readonly console: readonly ConsoleFile[] | null
  /** Where requests are logged, one JSON object a line, and from which level on; null: nowhere. */
  readonly log: { readonly stream: NodeJS.WritableStream; readonly level: 'info' | 'warn' } | null
}

/** Bodies that are no configs are small. */
const usualBody = 64 * 1024

/** Makes the server, all routes and guards in place; it does not listen yet. */
export async function buildServer(options: ServerOptions): Promise<Server> {
  const { jobs, metrics, tls } = options
  const settings: FastifyServerOptions = {
    bodyLimit: usualBody,
    // A connection on which a request does not arrive is not kept for ever.
    requestTimeout: 30_000,
    connectionTimeout: 0,
    forceCloseConnections: true,
    // A stream has no head without a body.
    exposeHeadRoutes: false,
    genReqId: () => randomUUID(),
    routerOptions: { maxParamLength: 300, ignoreTrailingSlash: true },
    // One line a request is enough: see below.
    logController: new LogController({ disableRequestLogging: true }),
    logger: options.log === null ? false : { ...options.log, redact: ['req.headers.authorization', 'req.headers.cookie'] },
  }
  const made = tls === null ? fastify(settings) : fastify({ ...settings, https: { ...tls, minVersion: 'TLSv1.2' } } as FastifyServerOptions)
  const server = made as unknown as Server
  server.setValidatorCompiler(validatorCompiler)
  server.setSerializerCompiler(serializerCompiler)
  registerErrors(server)
  const hub = new EventHub(jobs.database)
  server.addHook('onClose', async () => hub[Symbol.dispose]())
  const context: ApiContext = {
    jobs,
    hub,
    metrics,
    trustConfigs: options.trustConfigs,
    secure: tls !== null,
    signInsAMinute: Math.ceil(options.rateLimit / 60),
  }
  await registerPlugins(server, options)
  registerAuth(server, context)
  registerAudit(server, context)
  server.addHook('onResponse', async (request, reply) => {
    const { method, url, owner, ip } = request
    metrics.request(method, request.routeOptions.url ?? 'none', reply.statusCode, reply.elapsedTime / 1000)
    request.log.info({ method, url, status: reply.statusCode, ms: Math.round(reply.elapsedTime), who: owner?.name ?? null, ip }, 'answered')
  })
  for (const register of [registerHealth, registerSession, registerClusters, registerJobs, registerEvents, registerTokens])
    register(server, context)
  server.get('/openapi.json', { schema: { hide: true } as never }, async () => server.swagger())
  registerConsole(server, options.console)
  return server
}

async function registerPlugins(server: Server, options: ServerOptions): Promise<void> {
  await server.register(helmet, {
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        styleSrc: ["'self'", "'unsafe-inline'"],
        upgradeInsecureRequests: null,
      },
    },
    // Only who came by TLS can be told to come that way again.
    strictTransportSecurity: options.tls === null ? false : { maxAge: 31_536_000 },
  })
  await server.register(cookie)
  await server.register(rateLimit, {
    max: options.rateLimit,
    timeWindow: 60_000,
    cache: 10_000,
    errorResponseBuilder: (_, { ttl }) => fail('KX_RATE', { seconds: Math.ceil(ttl / 1000) }),
  })
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'kubexm', version, description: 'Clusters, jobs and what they tell. An overview is in docs/api.md.' },
      components: {
        securitySchemes: { token: { type: 'http', scheme: 'bearer' }, session: { type: 'apiKey', in: 'cookie', name: 'kubexm_session' } },
      },
      security: [{ token: [] }, { session: [] }],
    },
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  })
}
