import { type Document, isMap, isSeq, parse, parseDocument, type YAMLMap, YAMLSeq } from 'yaml'
import type { Json } from '../util/json.ts'

/** One cluster as somebody's own kubeconfig names it: a cluster, a user and a context of the same name. */
export interface KubeconfigEntries {
  readonly name: string
  readonly cluster: Json
  readonly user: Json
}

/** A kubeconfig after a change, or why it was not made. */
export type ChangedKubeconfig =
  | { readonly text: string; readonly isEmpty: boolean }
  /** It is no kubeconfig that could be changed without harm. */
  | { readonly wrong: string }
  /** Entries of that name lead to another cluster. */
  | { readonly foreign: true }

const lists = ['clusters', 'users', 'contexts'] as const
type List = (typeof lists)[number]

/** The cluster and the user of a kubeconfig of one cluster, under another name. */
export function entriesOf(kubeconfig: string, name: string): KubeconfigEntries {
  const { clusters, users } = parse(kubeconfig) as {
    readonly clusters: readonly { readonly cluster: Json }[]
    readonly users: readonly { readonly user: Json }[]
  }
  return { name, cluster: clusters[0]?.cluster ?? null, user: users[0]?.user ?? null }
}

/** A kubeconfig with these entries; all else in it stays as it is, comments too. Known entries are replaced, those of others never. */
export function withEntries(text: string, entries: KubeconfigEntries, areKnown: boolean): ChangedKubeconfig {
  const read = readKubeconfig(text)
  if ('wrong' in read) return read
  const { document } = read
  const { name, cluster, user } = entries
  if (!areKnown && lists.some((list) => indexIn(document, list, name) >= 0) && !leadsTo(document, name, cluster)) return { foreign: true }
  put(document, 'clusters', { name, cluster })
  put(document, 'users', { name, user })
  // What the user has set in the context since, such as a namespace, stays.
  if (indexIn(document, 'contexts', name) < 0) put(document, 'contexts', { name, context: { cluster: name, user: name } })
  if (!isText(document.get('current-context'))) document.set('current-context', name)
  return textOf(document)
}

/** A kubeconfig without the entries of a name. */
export function withoutEntries(text: string, name: string): ChangedKubeconfig {
  const read = readKubeconfig(text)
  if ('wrong' in read) return read
  const { document } = read
  for (const list of lists) {
    const index = indexIn(document, list, name)
    if (index >= 0) document.deleteIn([list, index])
  }
  if (document.get('current-context') === name) document.delete('current-context')
  return textOf(document)
}

const isText = (value: unknown): boolean => typeof value === 'string' && value !== ''

function readKubeconfig(text: string): { readonly document: Document } | { readonly wrong: string } {
  // Without the lines around a mistake: they may hold keys.
  const document = parseDocument(text.trim() === '' ? 'apiVersion: v1\nkind: Config\n' : text, { prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) return { wrong: error.message }
  if (!isMap(document.contents)) return { wrong: 'it is not a map' }
  const odd = lists.find((list) => !isList(document.get(list)))
  return odd === undefined ? { document } : { wrong: `${odd} is not a list` }
}

/** kubectl writes null for a list without elements. */
const isList = (value: unknown): boolean => value === undefined || value === null || isSeq(value)

function indexIn(document: Document, list: List, name: string): number {
  const entries = document.get(list)
  return isSeq(entries) ? entries.items.findIndex((entry) => isMap(entry) && entry.get('name') === name) : -1
}

/** One authority is one cluster, whatever the name of its entry. */
function leadsTo(document: Document, name: string, cluster: Json): boolean {
  const index = indexIn(document, 'clusters', name)
  const authority = document.getIn(['clusters', index, 'cluster', 'certificate-authority-data'])
  const own = typeof cluster === 'object' && cluster !== null && 'certificate-authority-data' in cluster
  return index >= 0 && own && authority === cluster['certificate-authority-data']
}

function put(document: Document, list: List, entry: { readonly name: string } & { readonly [key: string]: Json }): void {
  if (!isSeq(document.get(list))) document.set(list, new YAMLSeq())
  const index = indexIn(document, list, entry.name)
  const node = document.createNode(entry) as YAMLMap
  if (index < 0) document.addIn([list], node)
  else document.setIn([list, index], node)
}

const textOf = (document: Document): ChangedKubeconfig => ({
  // As kubectl writes it: long values stay on one line, lists are not indented.
  text: document.toString({ lineWidth: 0, indentSeq: false }),
  isEmpty: lists.every((list) => {
    const entries = document.get(list)
    return !isSeq(entries) || entries.items.length === 0
  }),
})
