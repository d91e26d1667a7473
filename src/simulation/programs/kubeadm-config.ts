import { readText } from '../files.ts'
import { refuse } from '../refusal.ts'
import type { HostState } from '../state.ts'
import { readYamlDocuments } from '../yaml.ts'

/** One document of a configuration. */
export type Document = Readonly<Record<string, unknown>>

/** A kubeadm configuration, its documents by kind. */
export type Documents = Readonly<Record<string, Document>>

/** The middle number of a version. */
export const minorOf = (version: string): number => Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? 0)

/** Reads a configuration as the kubeadm of a version does: strict about the API it knows. */
export function readConfig(state: HostState, path: string | undefined, version: string): Documents {
  if (path === undefined) return {}
  const text = readText(state, path)
  if (text === null) throw refuse(`unable to read config from "${path}": open ${path}: no such file or directory`)
  const read = readYamlDocuments(text).flatMap(({ value, error }) => {
    if (error !== null) throw refuse(`error unmarshaling "${path}": ${error}`)
    return value === null ? [] : [value as Document]
  })
  for (const document of read) mustKnow(document, version)
  return Object.fromEntries(read.map((document) => [String(document.kind), document]))
}

function mustKnow(document: Document, version: string): void {
  const api = String(document.apiVersion)
  if (!api.startsWith('kubeadm.k8s.io/')) return
  const minor = minorOf(version)
  const [oldest, newest] = [minor >= 37 ? 4 : 3, minor >= 31 ? 4 : 3]
  const beta = Number(/v1beta(\d)$/.exec(api)?.[1] ?? 0)
  if (beta > newest) throw refuse(`experimental API spec: "${api}, Kind=${document.kind}" is not allowed`)
  if (beta < oldest) throw refuse(`your configuration file uses an old API spec: "${api}". Please use kubeadm v1.${minor - 1} instead`)
  mustHaveForm(document, beta === 4 ? 'list' : 'map')
}

/** Arguments are a map in one version of the API and a list in the other: each takes the other's for an error. */
function mustHaveForm(value: unknown, form: 'list' | 'map'): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value)) {
    if (key !== 'extraArgs' && key !== 'kubeletExtraArgs') mustHaveForm(inner, form)
    else if (Array.isArray(inner) !== (form === 'list'))
      throw refuse(`error unmarshaling JSON: json: cannot unmarshal ${form === 'list' ? 'object' : 'array'} into Go struct field .${key}`)
  }
}

/** A value deep in a configuration. */
export function valueAt(config: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined),
    config,
  )
}
