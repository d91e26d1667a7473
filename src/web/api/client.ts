import type { Accepted, Cluster, ClusterDetail, Graph, Job, Page, Refusal, Session, Validation } from './types.ts'

/** An answer that is not a success: the server's words where it gave some. */
export class ApiError extends Error {
  readonly status: number
  readonly refusal: Refusal

  constructor(status: number, refusal: Refusal) {
    super(refusal.problem)
    this.name = 'ApiError'
    this.status = status
    this.refusal = refusal
  }
}

interface Request {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: string
  readonly type?: string
  readonly accept?: string
  readonly key?: string
  readonly signal?: AbortSignal
}

/** How a submitted job is to be run. */
export interface RunChoices {
  readonly rehearse?: boolean
  /** Simulated hosts take as long as real ones would. */
  readonly real_time?: boolean
  readonly rollback_on_failure?: boolean
  readonly purge_data?: boolean
  readonly parallel?: number | undefined
  readonly limit_hosts?: string | undefined
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** Everything the console asks of the server. The session is a cookie scripts cannot read: nothing secret is kept here. */
export class ApiClient {
  readonly #fetch: Fetch
  /** Told when the server no longer knows us. */
  onSignedOut: () => void = () => undefined
  language = 'en'

  constructor(fetch: Fetch) {
    this.#fetch = fetch
  }

  readonly session = (): Promise<Session> => this.#json('session')
  readonly signIn = (token: string): Promise<Session> =>
    this.#json('session', { method: 'POST', body: JSON.stringify({ token }), type: 'application/json' })
  readonly signOut = async (): Promise<void> => void (await this.send('session', { method: 'DELETE' }))

  readonly jobs = (query: { cluster?: string; status?: string; limit?: number; after?: string } = {}, signal?: AbortSignal) =>
    this.#json<Page<Job>>('jobs', { query, ...(signal === undefined ? {} : { signal }) })
  readonly job = (id: string): Promise<Job> => this.#json(`jobs/${encodeURIComponent(id)}`)
  readonly graph = (id: string): Promise<Graph> => this.#json(`jobs/${encodeURIComponent(id)}/graph`)
  readonly cancel = (id: string): Promise<Job> => this.#json(`jobs/${encodeURIComponent(id)}/cancel`, { method: 'POST' })
  readonly resume = (id: string): Promise<Job> => this.#json(`jobs/${encodeURIComponent(id)}/resume`, { method: 'POST' })

  readonly clusters = (after?: string): Promise<Page<Cluster>> => this.#json('clusters', { query: { after } })
  readonly cluster = (name: string): Promise<ClusterDetail> => this.#json(`clusters/${encodeURIComponent(name)}`)
  readonly clusterConfig = async (name: string): Promise<string> =>
    (await this.send(`clusters/${encodeURIComponent(name)}/config`, { accept: 'application/yaml' })).text()

  readonly validate = (config: string, signal?: AbortSignal): Promise<Validation> =>
    this.#json('configs/validate', { method: 'POST', body: config, type: yaml, ...(signal === undefined ? {} : { signal }) })
  /** The key makes a request that is sent twice one job. */
  readonly createCluster = (config: string, choices: RunChoices, key: string): Promise<Accepted> =>
    this.#json('clusters', { method: 'POST', body: config, type: yaml, query: queryOf(choices), key })
  readonly deleteCluster = (name: string, choices: RunChoices, key: string): Promise<Accepted> =>
    this.#json(`clusters/${encodeURIComponent(name)}`, { method: 'DELETE', query: queryOf(choices), key })
  readonly preflight = (name: string, choices: RunChoices, key: string): Promise<Accepted> =>
    this.#json(`clusters/${encodeURIComponent(name)}/preflight`, { method: 'POST', query: queryOf(choices), key })

  async #json<T>(path: string, request: Request = {}): Promise<T> {
    return (await this.send(path, request)).json() as Promise<T>
  }

  /** Sends a request and gives the answer back if it is a success. */
  async send(
    path: string,
    { method = 'GET', query = {}, body, type, accept = 'application/json', key, signal }: Request,
  ): Promise<Response> {
    const headers: Record<string, string> = { Accept: accept, 'Accept-Language': this.language }
    if (type !== undefined) headers['Content-Type'] = type
    if (key !== undefined) headers['Idempotency-Key'] = key
    const init: RequestInit = { method, headers, credentials: 'same-origin' }
    if (body !== undefined) init.body = body
    if (signal !== undefined) init.signal = signal
    const response = await this.#fetch(`/api/v1/${path}${searchOf(query)}`, init)
    if (response.ok) return response
    if (response.status === 401 && path !== 'session') this.onSignedOut()
    throw new ApiError(response.status, await refusalOf(response))
  }
}

const yaml = 'application/yaml'

const queryOf = ({ rehearse, real_time, rollback_on_failure, purge_data, parallel, limit_hosts }: RunChoices) => ({
  rehearse: rehearse === true ? true : undefined,
  real_time: rehearse === true && real_time === true ? true : undefined,
  rollback_on_failure: rollback_on_failure === true ? true : undefined,
  purge_data: purge_data === true ? true : undefined,
  parallel,
  limit_hosts: limit_hosts === undefined || limit_hosts === '' ? undefined : limit_hosts,
})

function searchOf(query: NonNullable<Request['query']>): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, String(value)]]))
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

/** A proxy in between may answer in its own words, which are not JSON. */
async function refusalOf(response: Response): Promise<Refusal> {
  const text = await response.text()
  try {
    const { code, problem, fix, errors } = JSON.parse(text) as Partial<Refusal>
    return { code: code ?? `HTTP ${response.status}`, problem: problem ?? text, fix: fix ?? '', errors: errors ?? [] }
  } catch {
    return { code: `HTTP ${response.status}`, problem: text.slice(0, 500) || response.statusText, fix: '', errors: [] }
  }
}
