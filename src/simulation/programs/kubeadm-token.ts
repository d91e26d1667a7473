import type { Output } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import type { Millis } from '../../util/time.ts'
import { complains, type ProgramContext, says } from '../program.ts'
import type { ClusterAccess } from '../state.ts'
import type { Words } from './words.ts'

export const hours = (n: number): Millis => n * 3_600_000

/** `24h0m0s`, `30m` and `0` (for ever). */
function durationOf(text: string): Millis {
  const parts = [...text.matchAll(/(\d+)([hms])/g)].map(
    ([, n, unit]) => Number(n) * ({ h: 3_600_000, m: 60_000, s: 1000 }[unit ?? 's'] ?? 0),
  )
  return text === '0' ? Number.MAX_SAFE_INTEGER : parts.reduce((sum, part) => sum + part, 0)
}

/** Tokens are made one after the other, so that a rehearsal gives the same ones each time. */
export function tokens(
  ctx: ProgramContext,
  cluster: ClusterAccess,
  [verb = '', named]: readonly string[],
  { values, flags }: Words,
): Output {
  const { state } = cluster
  if (verb === 'list') return says([...state.tokens.keys()].map((token) => `${token}\n`).join(''))
  if (verb === 'generate') return says(`${tokenOf(state.next)}\n`)
  if (verb === 'delete') {
    cluster.state = { ...state, tokens: new Map([...state.tokens].filter(([token]) => token !== named && token.split('.')[0] !== named)) }
    return says(`bootstrap token "${named}" deleted\n`)
  }
  if (verb !== 'create') return complains(`the simulated kubeadm does not know: token ${verb}`)
  const token = named ?? tokenOf(state.next)
  const until = ctx.state.now + durationOf(values.get('--ttl') ?? '24h')
  cluster.state = { ...state, tokens: new Map([...state.tokens, [token, until]]), next: state.next + 1 }
  const hash = sha256('simulated certificate authority')
  return says(
    flags.has('--print-join-command')
      ? `kubeadm join lb:6443 --token ${token} --discovery-token-ca-cert-hash sha256:${hash}\n`
      : `${token}\n`,
  )
}

const tokenOf = (n: number): string => `${sha256(`token ${n}`).slice(0, 6)}.${sha256(`token secret ${n}`).slice(0, 16)}`

/** Puts the shared certificates where a joining control plane node finds them, for two hours. */
export function uploadCertificates(ctx: ProgramContext, cluster: ClusterAccess, { values }: Words): Output {
  const key = values.get('--certificate-key') ?? sha256(`certificate key ${cluster.state.next}`)
  cluster.state = {
    ...cluster.state,
    certificateKeys: new Map([...cluster.state.certificateKeys, [key, ctx.state.now + hours(2)]]),
    next: cluster.state.next + 1,
  }
  return says(`[upload-certs] Using certificate key:\n${key}\n`)
}
