import type { Output } from '../../runner/index.ts'
import { hasQuorum, runsComponent } from '../control-plane.ts'
import { complains, type ProgramContext, says } from '../program.ts'
import { hostAt } from '../reach.ts'
import { refuse } from '../refusal.ts'
import { entryAt } from '../tree.ts'
import type { Words } from './words.ts'

const path = '/v3/cluster/'

/** Whether kubectl is to bring a question to etcd itself, which also speaks JSON over HTTP. */
export const asksEtcd = ({ values }: Words): boolean => values.get('--raw')?.startsWith(path) === true

/** What the member at `--server` answers. */
export function answerOfEtcd({ state, cluster, stdin }: ProgramContext, { values }: Words): Output {
  for (const proof of ['--certificate-authority', '--client-certificate', '--client-key'].map((name) => values.get(name) ?? ''))
    if (entryAt(state.root, proof) === null) return complains(`error: open ${proof}: no such file or directory`)
  const { hostname } = new URL(values.get('--server') ?? '')
  const address = hostname.replace(/^\[|\]$/g, '')
  const member = cluster === null ? null : hostAt(cluster, state, address)
  if (cluster === null || member === null || !runsComponent(member, 'etcd'))
    throw refuse(`Unable to connect to the server: dial tcp ${address}: connect: connection refused`)
  if (!hasQuorum(cluster, state)) throw refuse('Error from server (ServiceUnavailable): etcdserver: request timed out')
  const { members } = cluster.state
  const question = values.get('--raw')?.slice(path.length)
  if (question === 'member/list')
    return says(JSON.stringify({ members: members.map(({ id, name, peerUrl }) => ({ ID: id, name, peerURLs: [peerUrl] })) }))
  if (question !== 'member/remove') return complains(`the simulated etcd does not know: ${question}`)
  const { ID: gone } = JSON.parse(stdin) as { readonly ID: string }
  if (!members.some(({ id }) => id === gone)) throw refuse('Error from server (NotFound): etcdserver: member not found')
  cluster.state = { ...cluster.state, members: members.filter(({ id }) => id !== gone) }
  return says('{}')
}
