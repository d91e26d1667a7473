import { fail } from '../../error/index.ts'
import type { Secret } from '../../util/secret.ts'
import { type HttpClient, readText } from '../http.ts'

/** Who we are to a registry. */
export interface Credentials {
  readonly username: string
  readonly password: Secret
}

/** What a registry asks for when it answers 401. */
export interface Challenge {
  readonly scheme: 'basic' | 'bearer'
  readonly parameters: Readonly<Record<string, string>>
}

/** Reads a `WWW-Authenticate` header; null when its scheme is not one we know. */
export function parseChallenge(header: string): Challenge | null {
  const [, scheme = '', rest = ''] = /^\s*(\w+)\s*(.*)$/s.exec(header) ?? []
  const known = scheme.toLowerCase()
  if (known !== 'basic' && known !== 'bearer') return null
  const parameters = [...rest.matchAll(/(\w+)=(?:"((?:[^"\\]|\\.)*)"|([^\s,]+))/g)].map(([, name = '', quoted, plain]) => [
    name.toLowerCase(),
    quoted?.replace(/\\(.)/g, '$1') ?? plain ?? '',
  ])
  return { scheme: known, parameters: Object.fromEntries(parameters) as Record<string, string> }
}

/** Answers a registry's challenges and remembers the answers, one for each thing we may do. */
export class Authenticator {
  readonly #registry: string
  readonly #http: HttpClient
  readonly #credentials: Credentials | null
  readonly #headers = new Map<string, string>()

  constructor(registry: string, http: HttpClient, credentials: Credentials | null) {
    this.#registry = registry
    this.#http = http
    this.#credentials = credentials
  }

  /** The header to send at once, when this scope was granted before. */
  header(scope: string): string | undefined {
    return this.#headers.get(scope)
  }

  /** Answers a challenge; fails when there is nothing to answer it with. */
  async answer(header: string, scope: string, signal?: AbortSignal): Promise<string> {
    const challenge = parseChallenge(header)
    if (challenge === null) throw fail('KX_REGISTRY_AUTH', { registry: this.#registry, what: scope, why: `it asks for "${header}"` })
    const answer = challenge.scheme === 'basic' ? this.#basic(scope) : `Bearer ${await this.#token(challenge, scope, signal)}`
    this.#headers.set(scope, answer)
    return answer
  }

  #basic(scope: string): string {
    if (this.#credentials === null)
      throw fail('KX_REGISTRY_AUTH', { registry: this.#registry, what: scope, why: 'it asks for a user and a password' })
    return basicHeader(this.#credentials)
  }

  async #token({ parameters }: Challenge, scope: string, signal?: AbortSignal): Promise<string> {
    const { realm, service } = parameters
    if (realm === undefined) throw fail('KX_REGISTRY_AUTH', { registry: this.#registry, what: scope, why: 'it names no token service' })
    const url = new URL(realm)
    if (service !== undefined) url.searchParams.set('service', service)
    // What we need, not what it suggests: a push asks for both rights at once and needs only one token.
    url.searchParams.set('scope', scope)
    const headers = this.#credentials === null ? {} : { authorization: basicHeader(this.#credentials) }
    const response = await this.#http.request(url.href, { headers, ...(signal === undefined ? {} : { signal }) })
    const text = await readText(response)
    if (response.status !== 200)
      throw fail('KX_REGISTRY_AUTH', { registry: this.#registry, what: scope, why: `${url.host} answered ${response.status}` })
    const { token, access_token: accessToken } = JSON.parse(text) as { token?: string; access_token?: string }
    const granted = token ?? accessToken
    if (granted === undefined) throw fail('KX_REGISTRY_AUTH', { registry: this.#registry, what: scope, why: `${url.host} gave no token` })
    return granted
  }
}

const basicHeader = ({ username, password }: Credentials): string =>
  `Basic ${Buffer.from(`${username}:${password.reveal()}`).toString('base64')}`
