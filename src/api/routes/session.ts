import * as z from 'zod'
import { fail } from '../../error/index.ts'
import { ownerOf } from '../../store/index.ts'
import { sessionCookie } from '../auth.ts'
import type { ApiContext, Server } from '../context.ts'
import { failureShape, sessionShape, signIn } from '../schemas.ts'
import { sessionOf } from '../shapes.ts'

/** Signing in with a token, for browsers. */
export function registerSession(server: Server, { jobs, secure, signInsAMinute }: ApiContext): void {
  server.post(
    '/api/v1/session',
    {
      schema: { tags: ['session'], body: signIn, response: { 200: sessionShape, 401: failureShape } },
      // Somebody who guesses tokens gets nowhere, and not quickly either.
      config: { rateLimit: { max: signInsAMinute, timeWindow: 60_000 } },
    },
    async (request, reply) => {
      const owner = await ownerOf(jobs.database, request.body.token)
      if (owner === null) throw fail('KX_UNAUTHORIZED', {})
      reply.setCookie(sessionCookie, request.body.token, {
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
        secure,
        ...(owner.expiresAt === null ? {} : { expires: owner.expiresAt }),
      })
      return sessionOf(owner)
    },
  )
  server.get(
    '/api/v1/session',
    { schema: { tags: ['session'], response: { 200: sessionShape } }, config: { role: 'viewer' } },
    async ({ owner }) => {
      if (owner === null) throw fail('KX_UNAUTHORIZED', {})
      return sessionOf(owner)
    },
  )
  server.delete('/api/v1/session', { schema: { tags: ['session'], response: { 204: z.null() } } }, async (_, reply) => {
    reply.clearCookie(sessionCookie, { path: '/' })
    return reply.status(204).send(null)
  })
}
