import { Secret } from '../util/secret.ts'
import type { Issued } from './issue.ts'

interface KubeconfigParts {
  /** For people who look at several clusters with one kubectl. */
  readonly cluster: string
  readonly user: string
  readonly server: string
  /** The certificate of the authority the API server is known by. */
  readonly authority: string
  readonly client: Issued
}

/** A kubeconfig with everything in it: no other file is needed, and none can be forgotten. */
export function renderKubeconfig({ cluster, user, server, authority, client }: KubeconfigParts): Secret {
  const context = `${user}@${cluster}`
  return new Secret(`apiVersion: v1
kind: Config
clusters:
- name: ${JSON.stringify(cluster)}
  cluster:
    server: ${JSON.stringify(server)}
    certificate-authority-data: ${base64(authority)}
users:
- name: ${JSON.stringify(user)}
  user:
    client-certificate-data: ${base64(client.cert)}
    client-key-data: ${base64(client.key.reveal())}
contexts:
- name: ${JSON.stringify(context)}
  context:
    cluster: ${JSON.stringify(cluster)}
    user: ${JSON.stringify(user)}
current-context: ${JSON.stringify(context)}
`)
}

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')
