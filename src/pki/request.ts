import type { Cluster, ClusterHost } from '../config/index.ts'
import { x509 } from './issue.ts'
import { canonicalName, nodeNames } from './names.ts'

/** A request for a certificate as the API server keeps it. */
export interface SigningRequest {
  readonly username: string
  readonly groups?: readonly string[]
  readonly usages?: readonly string[]
  /** PEM, in base64. */
  readonly request: string
}

/** What a request asks to be certified. */
interface Requested {
  readonly commonName: string
  readonly organizations: readonly string[]
  readonly names: readonly string[]
  /** Sorts of names besides DNS names and addresses. */
  readonly otherSorts: readonly string[]
}

async function read(request: string): Promise<Requested | null> {
  const lib = await x509()
  try {
    const asked = new lib.Pkcs10CertificateRequest(Buffer.from(request, 'base64').toString('utf8'))
    const alternative = asked.extensions.find((extension) => extension instanceof lib.SubjectAlternativeNameExtension)
    const names = alternative?.names.items ?? []
    return {
      commonName: asked.subjectName.getField('CN').join(),
      organizations: asked.subjectName.getField('O'),
      names: names.filter(({ type }) => type === 'dns' || type === 'ip').map(({ value }) => canonicalName(value)),
      otherSorts: names.map(({ type }) => type).filter((type) => type !== 'dns' && type !== 'ip'),
    }
  } catch {
    // Whatever it is, it is not a request: the API server takes any bytes that claim to be one.
    return null
  }
}

const servingUsages = new Set(['digital signature', 'key encipherment', 'server auth'])

/** Why a request for the serving certificate of a kubelet must not be granted; null where it may be. */
export async function servingRequestFault(cluster: Cluster, host: ClusterHost, asked: SigningRequest): Promise<string | null> {
  const user = `system:node:${host.name}`
  if (asked.username !== user || asked.groups?.includes('system:nodes') !== true) return `it was made by ${asked.username}, not by ${user}`
  const usages = asked.usages ?? []
  const wrongUsage = usages.find((usage) => !servingUsages.has(usage))
  if (wrongUsage !== undefined || !usages.includes('server auth'))
    return `it is for ${usages.join(', ') || 'nothing'}, not for a server alone`
  const wanted = await read(asked.request)
  if (wanted === null) return 'it cannot be read'
  if (wanted.commonName !== user) return `it asks for the name ${wanted.commonName}`
  if (wanted.organizations.join() !== 'system:nodes') return `it asks for the groups ${wanted.organizations.join(', ')}`
  const own = nodeNames(cluster, host)
  const foreign = wanted.names.find((name) => !own.includes(name)) ?? wanted.otherSorts[0]
  if (foreign !== undefined) return `it asks for ${foreign}, which is not of ${host.name}`
  return wanted.names.length === 0 ? 'it asks for no name and no address' : null
}
