import type { Output } from '../../runner/index.ts'
import { type KubeObject, objectKey, withObject } from '../cluster-state.ts'
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

/** Words that change something; what stands before the first of them are names. */
const isChange = (word: string): boolean => /[=:]|-$/.test(word)

/** The kind, the names and the changes on a command line: `node/a x=y`, `nodes a b x=y`, `a b` for what is about nodes only. */
function targets(verb: keyof typeof nodeVerbs, operands: readonly string[]): readonly [string, readonly string[], readonly string[]] {
  if (verb === 'cordon' || verb === 'uncordon' || verb === 'drain') return ['Node', operands, []]
  const [first = ''] = operands
  if (first.includes('/')) return [kindOf(first.split('/')[0] ?? ''), [first.split('/')[1] ?? ''], operands.slice(1)]
  const from = operands.findIndex((word, i) => i > 0 && isChange(word))
  const end = from < 0 ? operands.length : from
  return [kindOf(first), operands.slice(1, end), operands.slice(end)]
}

/** Applies one of these verbs to the objects the command line names. */
export function changeNode(
  verb: keyof typeof nodeVerbs,
  cluster: ClusterAccess,
  { flags, values }: Words,
  operands: readonly string[],
): Output {
  const [kind, names, changes] = targets(verb, operands)
  const namespace = values.get('-n') ?? values.get('--namespace')
  const said = names.map((name) => {
    const found = cluster.state.objects.get(objectKey(kind, namespace, name))
    if (found === undefined) throw refuse(`Error from server (NotFound): ${kind.toLowerCase()}s "${name}" not found`)
    if (!flags.has('--overwrite')) refuseOverwriting(verb, found, changes)
    const change: Change = nodeVerbs[verb]
    const next = change(found, changes)
    if (JSON.stringify(next) !== JSON.stringify(found)) cluster.state = withObject(cluster.state, next)
    return `${kind.toLowerCase()}/${name} ${verb === 'drain' ? 'drained' : `${verb}ed`}\n`
  })
  return says(said.join(''))
}

function refuseOverwriting(verb: keyof typeof nodeVerbs, { metadata }: KubeObject, changes: readonly string[]): void {
  const map = verb === 'label' ? metadata.labels : verb === 'annotate' ? metadata.annotations : undefined
  const other = changes.find((word) => {
    const [key = '', ...value] = word.split('=')
    return !word.endsWith('-') && map?.[key] !== undefined && map[key] !== value.join('=')
  })
  if (other !== undefined) throw refuse(`error: '${other.split('=')[0]}' already has another value, and --overwrite is false`)
}
