import type { FastifyRequest } from 'fastify'
import { fail } from '../error/index.ts'
import { ownerOf, type TokenRole } from '../store/index.ts'
import type { ApiContext, Server } from './context.ts'

/** The cookie a browser keeps its token in: no script can read it, and no other site can have it sent. */
export const sessionCookie = 'kubexm_session'

const rank: Readonly<Record<TokenRole, number>> = { viewer: 0, operator: 1, admin: 2 }

/** Asks everybody who they are, except on routes that say they are for all. */
export function registerAuth(server: Server, { jobs }: ApiContext): void {
  server.decorateRequest('owner', null)
  server.decorateRequest('auditTarget', '')
  server.addHook('onRequest', async (request) => {
    const { role } = request.routeOptions.config
    if (role === undefined) return
    const { token, fromCookie } = tokenOf(request)
    const owner = token === null ? null : await ownerOf(jobs.database, token)
    if (owner === null) throw fail('KX_UNAUTHORIZED', {})
    if (fromCookie && !isSafe(request.method) && !isSameOrigin(request)) throw fail('KX_CROSS_ORIGIN', {})
    request.owner = owner
    if (rank[owner.role] < rank[role]) throw fail('KX_FORBIDDEN', { needed: role, name: owner.name, role: owner.role })
  })
}

function tokenOf(request: FastifyRequest): { readonly token: string | null; readonly fromCookie: boolean } {
  const header = request.headers.authorization
  if (header !== undefined) return { token: /^Bearer +(\S{1,200})$/i.exec(header)?.[1] ?? null, fromCookie: false }
  const cookie = request.cookies[sessionCookie]
  return { token: cookie ?? null, fromCookie: true }
}

const isSafe = (method: string): boolean => method === 'GET' || method === 'HEAD'

/** Whether a request comes from a page of this server: browsers say so, and cannot be made to lie by another site. */
function isSameOrigin({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin'
  const { origin, host } = headers
  if (origin === undefined || host === undefined) return false
  return URL.canParse(origin) && new URL(origin).host === host
}
