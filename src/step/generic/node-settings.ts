import type { Taint } from '../../manifest/index.ts'
import { all, type Command, type CommandState } from '../../runner/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { kubectl } from './kubernetes.ts'

type Words = Readonly<Record<string, string>>

/** What a node is to have besides what it has already. */
export interface NodeSettings {
  readonly name: string
  readonly labels: Words
  readonly annotations: Words
  readonly taints: readonly Taint[]
  /** Taints it must not have. */
  readonly untainted: readonly Taint[]
}

interface SeenNode {
  readonly labels: Words
  readonly annotations: Words
  readonly taints: readonly Taint[]
}

/** Arguments of `kubectl label`, `annotate` and `taint` for one node. */
type Change = { readonly node: string; readonly verb: 'label' | 'annotate' | 'taint'; readonly words: readonly string[] }

const tab = '{"\\t"}'
const fields = ['.metadata.name', '.metadata.labels', '.metadata.annotations', '.spec.taints'].map((path) => `{${path}}`).join(tab)

/** All that is looked at, and no more: a node in full is long, and there may be many. */
const look = (names: readonly string[]): Command =>
  kubectl(
    'get',
    'nodes',
    `--selector=kubernetes.io/hostname in (${names.join(',')})`,
    `--output=jsonpath={range .items[*]}${fields}{"\\n"}{end}`,
    '--request-timeout=10s',
  )

function seenIn({ code, stdout }: CommandState): ReadonlyMap<string, SeenNode> {
  if (code !== 0) return new Map()
  const lines = stdout.split('\n').filter((line) => line !== '')
  return new Map(
    lines.map((line) => {
      const [name = '', labels, annotations, taints] = line.split('\t')
      return [name, { labels: read(labels, {}), annotations: read(annotations, {}), taints: read(taints, []) }]
    }),
  )
}

const read = <T>(text: string | undefined, otherwise: T): T => (text === undefined || text === '' ? otherwise : (JSON.parse(text) as T))

const taintWord = ({ key, value = '', effect }: Taint): string => `${key}${value === '' ? '' : `=${value}`}:${effect}`
const sameTaint = (a: Taint, b: Taint): boolean => taintWord(a) === taintWord(b)
const samePlace = (a: Taint, b: Taint): boolean => a.key === b.key && a.effect === b.effect

const unset = { labels: {}, annotations: {}, taints: [] } satisfies SeenNode
const missingWords = (wanted: Words, seen: Words): readonly string[] =>
  Object.entries(wanted)
    .filter(([key, value]) => seen[key] !== value)
    .map(([key, value]) => `${key}=${value}`)

/** What has to be done to a node. */
function changesFor(wanted: NodeSettings, seen: SeenNode = unset): readonly Change[] {
  const taints = wanted.taints.filter((taint) => !seen.taints.some((own) => sameTaint(own, taint)))
  const wrong = seen.taints.filter((own) => wanted.untainted.some((taint) => samePlace(own, taint)))
  return withWords(wanted.name, {
    label: missingWords(wanted.labels, seen.labels),
    annotate: missingWords(wanted.annotations, seen.annotations),
    taint: [...taints.map(taintWord), ...wrong.map(({ key, effect }) => `${key}:${effect}-`)],
  })
}

/** What has to be done to a node to have it as it was. */
function changesBack(wanted: NodeSettings, seen: SeenNode): readonly Change[] {
  const back = (now: Words, before: Words): readonly string[] =>
    Object.keys(now)
      .filter((key) => before[key] !== now[key])
      .map((key) => (before[key] === undefined ? `${key}-` : `${key}=${before[key]}`))
  const added = wanted.taints.filter((taint) => !seen.taints.some((own) => samePlace(own, taint)))
  const taken = seen.taints.filter((own) => [...wanted.taints, ...wanted.untainted].some((taint) => samePlace(own, taint)))
  return withWords(wanted.name, {
    label: back(wanted.labels, seen.labels),
    annotate: back(wanted.annotations, seen.annotations),
    taint: [...taken.map(taintWord), ...added.map(({ key, effect }) => `${key}:${effect}-`)],
  })
}

const withWords = (node: string, words: Readonly<Record<Change['verb'], readonly string[]>>): readonly Change[] =>
  (['label', 'annotate', 'taint'] as const).filter((verb) => words[verb].length > 0).map((verb) => ({ node, verb, words: words[verb] }))

/** One command for all nodes that need the same: a hundred workers get their label at once. */
function commandFor(changes: readonly Change[]): Command {
  const groups = new Map<string, { readonly change: Change; readonly nodes: string[] }>()
  for (const change of changes) {
    const key = JSON.stringify([change.verb, change.words])
    const group = groups.get(key) ?? { change, nodes: [] }
    group.nodes.push(change.node)
    groups.set(key, group)
  }
  return all(...[...groups.values()].map(({ change, nodes }) => kubectl(change.verb, 'nodes', ...nodes, '--overwrite', ...change.words)))
}

type NodesBefore = { readonly back: readonly Change[] }

const nodeKind: Kind<NodesBefore> = {
  name: 'node-settings',
  probe: () => null,
  undo: async (on, _id, { back }) => {
    // Nodes are in etcd: where no API server answers there is nothing to put back, and with the cluster they go anyway.
    if (back.length > 0) await on.run(commandFor(back), { ok: 'any' })
  },
  isBack: () => true,
}

/** Gives nodes their labels, annotations and taints; what others gave them stays. */
export function settleNodes(wanted: readonly NodeSettings[]): Op {
  const names = wanted.map(({ name }) => name)
  return defineOp({
    kind: nodeKind,
    id: names.join(','),
    does: `label and taint ${names.length === 1 ? names[0] : `${names.length} nodes`}`,
    probe: { kind: 'command', command: look(names) },
    transient: true,
    isDone: (state) => {
      const seen = seenIn(state)
      return wanted.every((node) => seen.has(node.name) && changesFor(node, seen.get(node.name)).length === 0)
    },
    capture: (state): NodesBefore => {
      const seen = seenIn(state)
      return { back: wanted.flatMap((node) => changesBack(node, seen.get(node.name) ?? unset)) }
    },
    apply: async (on, _ctx, state) => {
      const seen = seenIn(state)
      await on.run(commandFor(wanted.flatMap((node) => changesFor(node, seen.get(node.name)))))
    },
  })
}

export const nodeKinds: readonly Kind<never>[] = [nodeKind]
