import { fail } from '../error/index.ts'
import { recordAudit } from '../store/index.ts'
import type { ApiContext, Server } from './context.ts'

/** Records who asked for which change, from where, and what came of it, before the answer goes out: a change that cannot be recorded is told as failed. */
export function registerAudit(server: Server, { jobs }: ApiContext): void {
  server.addHook('onSend', async (request, reply, payload) => {
    const { audit: action } = request.routeOptions.config
    // Who is not known is refused before anything: writing that down would let anybody fill the disk.
    if (action === undefined || request.owner === null) return payload
    const { owner, auditTarget: target, ip: origin } = request
    const outcome = reply.statusCode < 400 ? 'done' : `refused (${reply.statusCode})`
    try {
      await recordAudit(jobs.database, { who: `${owner.name} (${owner.id.slice(0, 8)})`, action, target, origin, outcome })
    } catch (cause) {
      if (reply.statusCode < 400)
        throw fail('KX_STORE_UNAVAILABLE', { store: 'of this server', why: 'the audit entry was not written' }, { cause })
    }
    return payload
  })
}
