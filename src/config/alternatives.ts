import type * as z from 'zod'
import { isMap, type Path, valueAt } from './places.ts'
import type { Problems } from './problem.ts'
import type { Tree } from './tree.ts'

/** `haproxy| nginx | kube-vip`, copied from a list of what is possible: the first is taken, with a warning. True if there was one. */
export function takeFirstAlternatives(issues: readonly z.core.$ZodIssue[], tree: Tree, problems: Problems): boolean {
  let taken = false
  for (const issue of issues) if (issue.code === 'invalid_value' && choose(issue.path as Path, issue.values, tree, problems)) taken = true
  return taken
}

function choose(path: Path, options: readonly unknown[], tree: Tree, problems: Problems): boolean {
  const holder = valueAt(tree.root, path.slice(0, -1))
  const name = String(path.at(-1))
  const seen = isMap(holder) ? holder[name] : undefined
  if (!isMap(holder) || typeof seen !== 'string' || !seen.includes('|')) return false
  const parts = seen.split('|').map((part) => part.trim())
  const [taken] = parts
  if (taken === undefined || !parts.every((part) => options.includes(part))) return false
  holder[name] = taken
  problems.add('warning', 'KX_CONFIG_ALTERNATIVES', { seen, taken, options: parts.join(', ') }, tree.places.stretch(tree.root, path), seen)
  return true
}
