import { mkdir } from 'node:fs/promises'
import { type ListenOptions, startServer } from '../../src/api/index.ts'
import { type Jobs, openJobs } from '../../src/app/jobs/index.ts'
import { createServiceMetrics } from '../../src/sink/index.ts'
import { countJobs, createToken, type TokenRole } from '../../src/store/index.ts'
import { inTemporaryDirectory } from './engine-run.ts'

/** An API server that answers on loopback, with a token for each role. */
export interface TestApi {
  readonly url: string
  readonly jobs: Jobs
  readonly directory: string
  readonly tokens: Readonly<Record<TokenRole, string>>
  /** Sends a request as somebody; the admin unless told otherwise. */
  send(method: string, path: string, given?: Sent): Promise<Answer>
}

interface Sent {
  readonly as?: TokenRole | null
  readonly body?: string | object
  readonly type?: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a server answers is looked at by each test in its own way
  readonly json: any
}

/** A config that is valid, and can be sent anywhere. */
export const portableConfig = (name = 'lab', hosts = 3): string => `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata:
  name: ${name}
spec:
  global:
    password: hunter2secret
  hosts:
${Array.from({ length: hosts }, (_, i) => `    - {name: node${i + 1}, address: 10.77.${Math.floor(i / 250)}.${(i % 250) + 1}}`).join('\n')}
  roleGroups:
    master: [node1]
    worker: ['node[1:${hosts}]']
`

/** A valid config of a host that refuses every connection. */
export const unreachableConfig = `apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: gone}
spec:
  global: {password: hunter2secret, connectionTimeout: 1}
  hosts: [{name: node1, address: 127.0.0.1, port: 1}]
  roleGroups: {master: [node1]}
`

/** Uses a server of its own on an embedded database, or on the one named by `env`. */
export async function withApi<T>(
  use: (api: TestApi) => Promise<T>,
  changed: Partial<ListenOptions> = {},
  env: Record<string, string> = {},
): Promise<T> {
  return inTemporaryDirectory(async (directory) => {
    await mkdir(directory, { recursive: true })
    await using jobs = await openJobs({ directory, env })
    const token = async (role: TokenRole): Promise<string> =>
      (await createToken(jobs.database, { name: `the ${role}`, role, lifetime: null })).value
    const tokens = { viewer: await token('viewer'), operator: await token('operator'), admin: await token('admin') }
    const metrics = await createServiceMetrics(() => countJobs(jobs.database))
    await using server = await startServer({
      jobs,
      metrics,
      listen: '127.0.0.1:0',
      rateLimit: 1_000_000,
      trustConfigs: false,
      console: null,
      log: null,
      ...changed,
    })
    const send = async (method: string, path: string, given: Sent = {}): Promise<Answer> => {
      const role = given.as === undefined ? 'admin' : given.as
      const body = typeof given.body === 'object' ? JSON.stringify(given.body) : given.body
      const type = given.type ?? (typeof given.body === 'object' ? 'application/json' : 'application/yaml')
      const response = await fetch(server.url + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(role === null ? {} : { authorization: `Bearer ${tokens[role]}` }),
          ...(body === undefined ? {} : { 'content-type': type }),
          ...given.headers,
        },
        ...(body === undefined ? {} : { body }),
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, text, json: parsed(text) }
    }
    return await use({ url: server.url, jobs, directory, tokens, send })
  })
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
