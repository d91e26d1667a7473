import type { Code, Parameters } from '../error/index.ts'
import { type Path, valueAt } from './places.ts'
import type { Problems, Stretch } from './problem.ts'
import type { Tree } from './tree.ts'

/** What rules and derivations are given besides the cluster: a way to report at a path, and what the file itself said. */
export class RuleContext {
  readonly #tree: Tree
  readonly #problems: Problems
  readonly #pruned: readonly Path[]
  /** Every name under spec.hosts, also of hosts that are wrong otherwise. */
  readonly namedHosts: ReadonlySet<string>

  constructor(tree: Tree, problems: Problems, pruned: readonly Path[], namedHosts: ReadonlySet<string>) {
    this.#tree = tree
    this.#problems = problems
    this.#pruned = pruned
    this.namedHosts = namedHosts
  }

  error<C extends Code>(code: C, params: Parameters<C>, path: Path, seen: string | null = null): void {
    this.#problems.add('error', code, params, this.#at(path), seen)
  }

  warn<C extends Code>(code: C, params: Parameters<C>, path: Path, seen: string | null = null): void {
    this.#problems.add('warning', code, params, this.#at(path), seen)
  }

  /** Whether the user wrote the field. */
  isWritten(path: Path): boolean {
    return valueAt(this.#tree.root, path) !== undefined
  }

  /** Whether the value there, or something in it, was already reported as wrong: what follows from it is not worth saying. */
  isWrong(path: Path): boolean {
    return this.#pruned.some((pruned) => isPrefix(pruned, path) || isPrefix(path, pruned))
  }

  lineOf(path: Path): number {
    return this.#problems.lineOf(this.#at(path).start)
  }

  #at(path: Path): Stretch {
    return this.#tree.places.stretch(this.#tree.root, path)
  }
}

const isPrefix = (a: Path, b: Path): boolean => a.length <= b.length && a.every((key, i) => key === b[i])

/** A rule looks at a whole cluster and reports what does not go together. */
export type Rule<C> = (cluster: C, context: RuleContext) => void
