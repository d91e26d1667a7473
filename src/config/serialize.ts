import { Document, Scalar, visit } from 'yaml'
import { hashOf } from '../util/hash.ts'
import type { Json } from '../util/json.ts'
import type { Cluster } from './cluster.ts'
import { suspicious } from './mend.ts'
import { masked, SecretSource } from './secret.ts'

/** A cluster as plain values: references to secrets stay, literal secrets become `***`. */
export const plainCluster = (cluster: Cluster): Json => plain(cluster)

/** A cluster as YAML that reads back as the same cluster; a literal secret does not survive, on purpose. */
export const serializeCluster = (cluster: Cluster): string =>
  quoted(new Document(plainCluster(cluster), { aliasDuplicateObjects: false })).toString({ lineWidth: 0 })

/** A stable name for what a cluster asks for. Secrets do not enter it: changing a password changes no cluster. */
export const configHash = (cluster: Cluster): string => hashOf(plainCluster(cluster))

function plain(value: unknown): Json {
  if (value instanceof SecretSource) return reference(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([, inner]) => inner !== undefined)
        .map(([key, inner]) => [key, plain(inner)]),
    )
  }
  return value as Json
}

function reference({ reference: from }: SecretSource): Json {
  if (from.kind === 'env') return { env: from.name }
  if (from.kind === 'file') return { file: from.path }
  return from.kind === 'prompt' ? { prompt: from.question } : masked
}

/** Text with characters that look like others is put in quotes: outside of them it would be taken for a slip of the keyboard. */
export function quoted(document: Document): Document {
  visit(document, {
    Scalar: (_key, scalar) => {
      if (typeof scalar.value === 'string' && suspicious.test(scalar.value)) scalar.type = Scalar.QUOTE_DOUBLE
    },
  })
  return document
}
