import type { Cluster } from './cluster.ts'
import { SecretSource } from './secret.ts'

/** Makes a cluster unchangeable, down to its last list; secrets in files are found from the directory of the config. */
export const freeze = (cluster: Cluster, directory: string): Cluster => frozen(cluster, directory) as Cluster

function frozen(value: unknown, directory: string): unknown {
  if (value instanceof SecretSource) return value.from(directory)
  if (Array.isArray(value)) return Object.freeze(value.map((inner) => frozen(inner, directory)))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined)
  return Object.freeze(Object.fromEntries(entries.map(([key, inner]) => [key, frozen(inner, directory)])))
}
