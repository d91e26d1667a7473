import * as z from 'zod'
import { fail } from '../../error/index.ts'
import { createToken, listTokens, readAudit, revokeToken } from '../../store/index.ts'
import { parseDuration } from '../../util/duration.ts'
import type { ApiContext, Server } from '../context.ts'
import { auditShape, byId, newToken, newTokenShape, pageOf, paging, tokenShape } from '../schemas.ts'
import { auditOf, tokenOf } from '../shapes.ts'

/** Tokens, and who changed what with them. */
export function registerTokens(server: Server, { jobs: { database } }: ApiContext): void {
  server.get(
    '/api/v1/tokens',
    { schema: { tags: ['tokens'], response: { 200: pageOf(tokenShape) } }, config: { role: 'admin' } },
    async () => ({ items: (await listTokens(database)).map(tokenOf), next: null }),
  )
  server.post(
    '/api/v1/tokens',
    {
      schema: { tags: ['tokens'], summary: 'Makes a token; it is shown this once', body: newToken, response: { 201: newTokenShape } },
      config: { role: 'admin', audit: 'create token' },
    },
    async (request, reply) => {
      const { name, role, expires_in } = request.body
      const lifetime = expires_in === undefined ? null : parseDuration(expires_in)
      if (expires_in !== undefined && lifetime === null) throw fail('KX_REQUEST', { what: 'expires_in is a duration, such as 30d or 12h' })
      const made = await createToken(database, { name, role, lifetime })
      request.auditTarget = `${name} (${made.id}, ${role})`
      return reply.status(201).send({ ...tokenOf(made), token: made.value })
    },
  )
  server.delete(
    '/api/v1/tokens/:id',
    { schema: { tags: ['tokens'], params: byId, response: { 204: z.null() } }, config: { role: 'admin', audit: 'revoke token' } },
    async (request, reply) => {
      const { id } = request.params
      request.auditTarget = id
      if (!(await revokeToken(database, id))) throw fail('KX_TOKEN_UNKNOWN', { id })
      return reply.status(204).send(null)
    },
  )
  server.get(
    '/api/v1/audit',
    {
      schema: { tags: ['audit'], querystring: z.strictObject(paging), response: { 200: pageOf(auditShape) } },
      config: { role: 'admin' },
    },
    async (request) => {
      const { limit, after } = request.query
      if (after !== undefined && !/^\d{1,15}$/.test(after)) throw fail('KX_CURSOR', { cursor: after.slice(0, 60) })
      const entries = await readAudit(database, limit, after === undefined ? undefined : Number(after))
      return { items: entries.map(auditOf), next: entries.length < limit ? null : String(entries.at(-1)?.id) }
    },
  )
}
