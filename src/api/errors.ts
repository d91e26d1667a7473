import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import type { ConfigProblem } from '../config/index.ts'
import { type Code, fail, KubexmError } from '../error/index.ts'
import { languageOf, type Server } from './context.ts'
import { problemOf } from './shapes.ts'

/** A config that is not valid, with everything that is wrong in it. */
export class InvalidConfig extends Error {
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[]) {
    super('the config is not valid')
    this.problems = problems
  }
}

const statuses: Partial<Readonly<Record<Code, number>>> = {
  KX_UNAUTHORIZED: 401,
  KX_FORBIDDEN: 403,
  KX_CROSS_ORIGIN: 403,
  KX_JOB_UNKNOWN: 404,
  KX_CLUSTER_UNKNOWN: 404,
  KX_TOKEN_UNKNOWN: 404,
  KX_ROUTE_UNKNOWN: 404,
  KX_CONSOLE_MISSING: 404,
  KX_JOB_AMBIGUOUS: 400,
  KX_CONFIG: 422,
  KX_CURSOR: 400,
  KX_REQUEST: 400,
  KX_JOB_STATE: 409,
  KX_IDEMPOTENCY: 409,
  KX_TOO_LARGE: 413,
  KX_MEDIA_TYPE: 415,
  KX_RATE: 429,
  KX_STORE_UNAVAILABLE: 503,
  KX_TOO_MANY_STREAMS: 503,
}

/** Gives every error the one shape, in the language of who asked. What is a mistake of ours is logged and not shown. */
export function registerErrors(server: Server): void {
  server.setErrorHandler((thrown: FastifyError, request, reply) => {
    if (thrown instanceof InvalidConfig) {
      const language = languageOf(request)
      const { problem, fix } = fail('KX_CONFIG', { file: 'cluster.yaml', count: countOf(thrown.problems) }).text(language)
      return reply.status(422).send({ code: 'KX_CONFIG', problem, fix, errors: thrown.problems.map((found) => problemOf(found, language)) })
    }
    const error = known(thrown, request)
    const status = error === null ? 500 : (statuses[error.code] ?? 500)
    if (status === 500) request.log.error({ err: thrown }, 'a request failed')
    return answer(reply, request, status, error ?? fail('KX_BUG', { what: 'see the log of the server' }))
  })
  server.setNotFoundHandler((request, reply) =>
    answer(reply, request, 404, fail('KX_ROUTE_UNKNOWN', { method: request.method, path: request.url.slice(0, 200) })),
  )
}

const countOf = ({ length }: readonly unknown[]): string => (length === 1 ? 'one error' : `${length} errors`)

function answer(reply: FastifyReply, request: FastifyRequest, status: number, error: KubexmError): FastifyReply {
  return reply.status(status).send({ code: error.code, ...error.text(languageOf(request)), errors: [] })
}

/** An error with a code of ours; null for a mistake of ours. */
function known(thrown: FastifyError, request: FastifyRequest): KubexmError | null {
  if (thrown instanceof KubexmError) return thrown.code === 'KX_BUG' ? null : thrown
  if (hasZodFastifySchemaValidationErrors(thrown)) return fail('KX_REQUEST', { what: thrown.message.slice(0, 500) })
  if (thrown.statusCode === 413) return fail('KX_TOO_LARGE', { limit: request.routeOptions.bodyLimit ?? 0 })
  if (thrown.statusCode === 415) return fail('KX_MEDIA_TYPE', { type: (request.headers['content-type'] ?? 'none').slice(0, 100) })
  if (isDatabaseAway(thrown)) return fail('KX_STORE_UNAVAILABLE', { store: 'of this server', why: 'it does not answer' }, { cause: thrown })
  if (thrown.statusCode !== undefined && thrown.statusCode < 500) return fail('KX_REQUEST', { what: thrown.message.slice(0, 500) })
  return null
}

/** What a driver says when the server behind it is gone, or does not take connections. */
const isDatabaseAway = ({ code, message }: Error & { readonly code?: string }): boolean =>
  /^(ECONNREFUSED|ECONNRESET|ENOENT|EPIPE|ETIMEDOUT|57P0[123]|08...|53300)$/.test(code ?? '') ||
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/.test(message) ||
  /database is locked|disk I\/O error|database or disk is full/.test(message)
