import type { Output } from '../../runner/index.ts'
import { type KubeObject, withObject } from '../cluster-state.ts'
import { says } from '../program.ts'
import { refuse } from '../refusal.ts'
import type { ClusterAccess } from '../state.ts'
import { kindOf } from './kubectl-show.ts'
import type { Words } from './words.ts'

type Taint = { readonly key: string; readonly value: string; readonly effect: string }
type Change = (node: KubeObject, words: readonly string[]) => KubeObject

const unschedulable = (node: KubeObject, is: boolean): KubeObject => ({ ...node, spec: { ...node.spec, unschedulable: is } })

/** `key=value` sets, `key-` takes away. */
function edited(map: Readonly<Record<string, string>>, words: readonly string[]): Readonly<Record<string, string>> {
  const next: Record<string, string> = { ...map }
  for (const word of words) {
    if (word.endsWith('-')) delete next[word.slice(0, -1)]
    else next[word.split('=')[0] ?? ''] = word.split('=').slice(1).join('=')
  }
  return next
}

function tainted(node: KubeObject, words: readonly string[]): KubeObject {
  let taints = (node.spec?.taints ?? []) as readonly Taint[]
  for (const word of words) {
    const [pair = '', effect = ''] = word.split(':')
    const [key = '', value = ''] = pair.split('=')
    taints = taints.filter((taint) => taint.key !== key.replace(/-$/, '') || (effect !== '' && taint.effect !== effect.replace(/-$/, '')))
    if (!word.endsWith('-')) taints = [...taints, { key, value, effect }]
  }
  return { ...node, spec: { ...node.spec, taints } }
}

/** Verbs that change nodes (label and annotate also other things). */
export const nodeVerbs = {
  cordon: (node) => unschedulable(node, true),
  uncordon: (node) => unschedulable(node, false),
  drain: (node) => unschedulable(node, true),
  taint: tainted,
  label: (node, words) => ({ ...node, metadata: { ...node.metadata, labels: edited(node.metadata.labels ?? {}, words) } }),
  annotate: (node, words) => ({ ...node, metadata: { ...node.metadata, annotations: edited(node.metadata.annotations ?? {}, words) } }),
} as const satisfies Readonly<Record<string, Change>>

/** Applies one of these verbs to the objects the command line names. */
export function changeNode(
  verb: keyof typeof nodeVerbs,
  cluster: ClusterAccess,
  { flags, values }: Words,
  operands: readonly string[],
): Output {
  const direct = verb === 'cordon' || verb === 'uncordon' || verb === 'drain'
  const [kind, name, rest] = direct
    ? ['Node', operands[0] ?? '', operands.slice(1)]
    : operands[0]?.includes('/')
      ? [kindOf(operands[0].split('/')[0] ?? ''), operands[0].split('/')[1] ?? '', operands.slice(1)]
      : [kindOf(operands[0] ?? ''), operands[1] ?? '', operands.slice(2)]
  const namespace = values.get('-n') ?? values.get('--namespace')
  const found = [...cluster.state.objects.values()].find(
    (object) =>
      object.kind === kind &&
      object.metadata.name === name &&
      (kind === 'Node' || (object.metadata.namespace ?? 'default') === (namespace ?? 'default')),
  )
  if (found === undefined) throw refuse(`Error from server (NotFound): ${String(kind).toLowerCase()}s "${String(name)}" not found`)
  const { labels = {} } = found.metadata
  const changesValue = rest.some(
    (word) => !word.endsWith('-') && (labels[word.split('=')[0] ?? ''] ?? word.split('=')[1]) !== word.split('=')[1],
  )
  if (verb === 'label' && changesValue && !flags.has('--overwrite'))
    throw refuse("error: 'overwrite' is false but found the label with another value")
  const change: Change = nodeVerbs[verb]
  cluster.state = withObject(cluster.state, change(found, rest))
  return says(`${String(kind).toLowerCase()}/${name} ${verb === 'drain' ? 'drained' : `${verb}ed`}\n`)
}
