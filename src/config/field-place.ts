import type { Cluster } from './cluster.ts'
import { joinPath, type Path } from './places.ts'
import type { Source } from './source.ts'
import type { Tree } from './tree.ts'

/** By the metadata, which copies of a cluster that differ in a few fields have in common. */
const files = new WeakMap<Cluster['metadata'], { readonly tree: Tree; readonly source: Source }>()

/** Keeps in mind which file a cluster was read from. */
export function rememberFile(cluster: Cluster, tree: Tree, source: Source): void {
  files.set(cluster.metadata, { tree, source })
}

/**
 * Where a field stands in the file the cluster was read from, or the group it would have to stand in: `cluster.yaml:12:5`. The field's
 * own name where the cluster comes from no file.
 */
export function placeOfField({ metadata }: Cluster, path: Path): string {
  const known = files.get(metadata)
  if (known === undefined) return path.reduce<string>((text, key) => joinPath(text, key), '')
  const { tree, source } = known
  const { line, col } = source.position(tree.places.stretch(tree.root, path).start)
  return `${source.file}:${line}:${col}`
}
