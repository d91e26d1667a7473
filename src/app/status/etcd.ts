import { type ClusterHost, etcdClientUrl, etcdUrls, hostLayout, hostsOf, mastersOf } from '../../config/index.ts'
import { leaves } from '../../pki/index.ts'
import { type Output, type Reader, sh } from '../../runner/index.ts'
import { etcdctl } from '../../step/generic/etcd.ts'
import { askerFor, orElse, type Surroundings, unreachable, whyNot } from './surroundings.ts'
import type { ApiServerStatus, MemberStatus } from './types.ts'

/** Runs etcdctl on a host for one endpoint. */
type AskEtcd = (on: Reader, endpoint: string, ...words: readonly string[]) => Promise<Output>

const limits = ['--write-out=json', '--dial-timeout=3s', '--command-timeout=5s']

const askOurs: AskEtcd = (on, endpoint, ...words) => on.run(etcdctl([endpoint], ...words, ...limits), { ok: 'any' })

/** In the pod of a member that kubeadm made, since hosts have no etcdctl then. Without the API: it is of no use when etcd is down. */
const askStacked: AskEtcd = async (on, endpoint, ...words) => {
  const crictl = [`${hostLayout.programs}/crictl`, '--timeout=10s']
  const found = await on.run(sh`${crictl} ps --state=running --quiet ${'--name=^etcd$'}`, { ok: 'any' })
  const [id = ''] = found.stdout.trim().split('\n')
  if (id === '') return { code: 1, stdout: '', stderr: found.code === 0 ? 'its pod does not run' : found.stderr }
  const { cert, key } = leaves['stacked-etcd-healthcheck-client'].paths
  const proofs = [`--cacert=${hostLayout.kubernetesPki}/etcd/ca.crt`, `--cert=${cert}`, `--key=${key}`]
  return on.run(sh`${crictl} exec ${id} etcdctl --endpoints=${endpoint} ${proofs} ${words} ${limits}`, { ok: 'any' })
}

/** Every member of etcd: whether it answers a read that takes a majority, who leads, and how much it holds. */
export async function lookAtEtcd(around: Surroundings, apiServers: Promise<readonly ApiServerStatus[]>): Promise<readonly MemberStatus[]> {
  const { cluster } = around
  const { type } = cluster.spec.etcd
  if (type === 'external') return seenThroughApi(etcdUrls(cluster), await apiServers)
  const members = type === 'kubexm' ? hostsOf(cluster).filter(({ roles }) => roles.includes('etcd')) : mastersOf(cluster)
  const names = members.map(({ name }) => name)
  return Promise.all(
    members.map((member) => {
      const endpoint = etcdClientUrl(cluster, member)
      return askMember(member, endpoint, askerFor(around, member.name, names), type === 'kubexm' ? askOurs : askStacked)
    }),
  )
}

async function askMember({ name }: ClusterHost, endpoint: string, on: Reader | null, ask: AskEtcd): Promise<MemberStatus> {
  const nothing = { host: name, endpoint, leader: null, version: null, dbSize: null }
  if (on === null) return { ...nothing, problem: unreachable }
  return orElse(
    async () => {
      const [health, status] = await Promise.all([ask(on, endpoint, 'endpoint', 'health'), ask(on, endpoint, 'endpoint', 'status')])
      return { ...nothing, ...told(status), problem: illness(health) }
    },
    (problem): MemberStatus => ({ ...nothing, problem }),
  )
}

/** etcd's own numbers are larger than JavaScript's: two of them are told apart by how they are written. */
function told({ stdout }: Output): Partial<MemberStatus> {
  const [, member] = /"member_id":(\d+)/.exec(stdout) ?? []
  const [, leader] = /"leader":(\d+)/.exec(stdout) ?? []
  const [, version = null] = /"version":"([^"]+)"/.exec(stdout) ?? []
  const [, dbSize] = /"dbSize":(\d+)/.exec(stdout) ?? []
  return {
    leader: member === undefined ? null : member === leader,
    version,
    dbSize: dbSize === undefined ? null : Number(dbSize),
  }
}

function illness(health: Output): string | null {
  if (health.code === 0) return null
  try {
    const [answer] = JSON.parse(health.stdout) as readonly { readonly error?: string }[]
    return answer?.error?.trim() || whyNot(health)
  } catch {
    // Without the files it needs, or a program to ask with, nobody was asked.
    return whyNot(health)
  }
}

/** An etcd that is not ours is asked by the API servers only: they have the certificates for it, and say how they get on with it. */
function seenThroughApi(endpoints: readonly string[], apiServers: readonly ApiServerStatus[]): readonly MemberStatus[] {
  const isSeen = apiServers.some(({ problem }) => problem === null)
  const failed = apiServers.find(({ problem }) => problem?.includes('etcd'))
  const problem = isSeen ? null : failed === undefined ? 'no API server answers that could ask it' : 'the API servers get no answer from it'
  return endpoints.map((endpoint) => ({ host: null, endpoint, leader: null, version: null, dbSize: null, problem }))
}
