import { X509Certificate } from 'node:crypto'
import { mustAnswer } from '../control-plane.ts'
import { readText } from '../files.ts'
import { masterBehind } from '../reach.ts'
import { refuse } from '../refusal.ts'
import { readYaml } from '../yaml.ts'
import { valueAt } from './kubeadm-config.ts'
import type { Run } from './kubeadm-node.ts'

const joiners = 'system:bootstrappers:kubeadm:default-node-token'

const unknown = (why: string) => refuse(`error execution phase preflight: couldn't validate the identity of the API Server: ${why}`)

/** Where the cluster is that a host joins, once it has shown that it may: by a token, or by a kubeconfig with a certificate. */
export function discover(run: Run, token: string | null): string {
  const file = valueAt(run.config.JoinConfiguration, 'discovery', 'file', 'kubeConfigPath')
  return typeof file === 'string' ? byFile(run, file) : byToken(run, token ?? '')
}

function byToken({ ctx, cluster }: Run, token: string): string {
  mustAnswer(cluster, ctx.state, true)
  const until = cluster.state.tokens.get(token)
  if (until === undefined || until < ctx.state.now) throw unknown(`could not find a JWS signature for token ID "${token.split('.')[0]}"`)
  return 'https://lb:6443'
}

interface Kubeconfig {
  readonly clusters?: readonly { readonly cluster: { readonly server: string; readonly 'certificate-authority-data'?: string } }[]
  readonly users?: readonly { readonly user: { readonly 'client-certificate-data'?: string } }[]
}

function byFile({ ctx, cluster }: Run, path: string): string {
  const text = readText(ctx.state, path)
  if (text === null) throw unknown(`stat ${path}: no such file or directory`)
  const { clusters = [], users = [] } = (readYaml(text) ?? {}) as Kubeconfig
  const { server = '', 'certificate-authority-data': authority = '' } = clusters[0]?.cluster ?? {}
  const certificate = users[0]?.user['client-certificate-data'] ?? ''
  const master = masterBehind(cluster, ctx.state, server)
  if (typeof master === 'string') throw unknown(`Get "${server}": ${master}`)
  mustAnswer(cluster, ctx.state, false)
  if (certificate === '')
    throw refuse('error execution phase preflight: could not find authentication credentials for the TLS bootstrap process')
  const trusted = readText(master, '/etc/kubernetes/pki/ca.crt') ?? ''
  if (Buffer.from(authority, 'base64').toString() !== trusted) throw unknown('x509: certificate signed by unknown authority')
  mustBeJoiner(new X509Certificate(Buffer.from(certificate, 'base64')), new X509Certificate(trusted))
  return server
}

function mustBeJoiner(certificate: X509Certificate, authority: X509Certificate): void {
  if (!certificate.verify(authority.publicKey)) throw unknown('Unauthorized')
  if (!certificate.subject.split('\n').includes(`O=${joiners}`))
    throw refuse(`error execution phase preflight: unable to fetch the kubeadm-config ConfigMap: configmaps "kubeadm-config" is forbidden`)
}
