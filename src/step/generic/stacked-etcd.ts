import { type ClusterHost, etcdClientUrl, etcdPeerUrl, hostLayout, mastersOf } from '../../config/index.ts'
import { fail } from '../../error/index.ts'
import { type Output, type Runner, sh } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { eventually } from '../../util/eventually.ts'
import { lastLines } from '../../util/last-lines.ts'
import { seconds } from '../../util/time.ts'
import { authorityPaths, certificatePaths } from './certificate.ts'

/** A member as etcd tells of it; one that has not started yet has no name. */
interface Member {
  readonly ID: string
  readonly peerURLs: readonly string[]
}

/**
 * Takes the member of this host out of a stacked etcd, through the masters that stay. kubeadm's own way wants the host to be a node already,
 * and wipes the data of a member that is still counted, which may cost the others their majority.
 */
export async function leaveStackedEtcd(on: Runner, ctx: StepContext): Promise<void> {
  const { cluster, host, signal, clock } = ctx
  const others = mastersOf(cluster).filter(({ name }) => name !== host.name)
  let why = 'there is no other master'
  const left = await eventually(
    async () => {
      for (const master of others) {
        const refusal = await leaveThrough(on, ctx, master)
        if (refusal === null) return true
        why = refusal
      }
      return null
    },
    // etcd lets go of a member only once it has seen the others for five seconds.
    { every: seconds(1), within: seconds(30), signal, clock },
  )
  if (left === null) throw fail('KX_KUBEADM_ETCD_MEMBER', { host: host.name, why })
}

/** Null if the host has no member any more, else why it still has. */
async function leaveThrough(on: Runner, { cluster, host }: StepContext, master: ClusterHost): Promise<string | null> {
  const url = etcdClientUrl(cluster, master)
  const peerUrl = etcdPeerUrl(cluster, host)
  const listed = await askEtcd(on, url, 'member/list', { linearizable: true })
  if (listed.code !== 0) return `${url}: ${lastLines(listed.stderr, 1)}`
  const { members } = JSON.parse(listed.stdout) as { readonly members: readonly Member[] }
  const own = members.find(({ peerURLs }) => peerURLs.includes(peerUrl))
  if (own === undefined) return null
  const removed = await askEtcd(on, url, 'member/remove', { ID: own.ID })
  return removed.code === 0 ? null : `${url}: ${lastLines(removed.stderr, 1)}`
}

/** Asks a member over HTTP with the client that is on every node: where kubeadm makes etcd, etcdctl is only in its pods. */
function askEtcd(on: Runner, url: string, what: string, question: object): Promise<Output> {
  const { cert, key } = certificatePaths('stacked-etcd-healthcheck-client')
  const proofs = [`--certificate-authority=${authorityPaths('etcd').cert}`, `--client-certificate=${cert}`, `--client-key=${key}`]
  const access = ['--kubeconfig=/dev/null', `--server=${url}`, ...proofs, '--request-timeout=5s']
  const command = sh`${hostLayout.programs}/kubectl ${access} create ${`--raw=/v3/cluster/${what}`} --filename=-`
  return on.run(command, { stdin: JSON.stringify(question), ok: 'any' })
}
