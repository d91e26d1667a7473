import type {
  FastifyBaseLogger,
  FastifyInstance,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerBase,
} from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import type { Jobs } from '../app/jobs/index.ts'
import type { Language } from '../error/index.ts'
import type { ServiceMetrics } from '../sink/index.ts'
import type { TokenOwner, TokenRole } from '../store/index.ts'
import type { EventHub } from './event-hub.ts'

/** What the routes work with. */
export interface ApiContext {
  readonly jobs: Jobs
  readonly hub: EventHub
  readonly metrics: ServiceMetrics
  /** Whether configs may reach into the machines of the server and its workers. */
  readonly trustConfigs: boolean
  /** Whether the session cookie is for encrypted connections only. */
  readonly secure: boolean
  /** From one address. */
  readonly signInsAMinute: number
}

/** The server as routes see it: schemas are zod's. */
export type Server = FastifyInstance<
  RawServerBase,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  ZodTypeProvider
>

declare module 'fastify' {
  interface FastifyRequest {
    /** Who asks; null where nobody has to say. */
    owner: TokenOwner | null
    /** What a change was about, for the audit log. */
    auditTarget: string
  }
  interface FastifyContextConfig {
    /** The least role that may ask; without one anybody may. */
    readonly role?: TokenRole
    /** The name of the change in the audit log. */
    readonly audit?: string
  }
}

/** The language of an answer: Chinese where it is preferred, else English. */
export const languageOf = (request: FastifyRequest): Language => (/^\s*zh\b/i.test(request.headers['accept-language'] ?? '') ? 'zh' : 'en')

/** Who asks, on a route that only somebody known gets to. */
export const ownerOf = (request: FastifyRequest): string => request.owner?.name ?? 'nobody'
