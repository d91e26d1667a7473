import type * as z from 'zod'
import { closest } from '../util/suggest.ts'
import { isMap, type Path, valueAt } from './places.ts'
import { formOf } from './primitives.ts'
import type { Problems, Stretch } from './problem.ts'
import { exampleOf, fieldsBelow } from './schema-index.ts'
import { isSecretKey, masked } from './secret.ts'
import type { Tree } from './tree.ts'

type Issue = z.core.$ZodIssue

/** Turns what the schema found into problems with a place, words and a proposal. One problem for each value. */
export function reportIssues(issues: readonly Issue[], tree: Tree, problems: Problems): void {
  const reported = new Set<string>()
  for (const issue of issues.flatMap((one) => narrow(one, tree.root))) {
    if (problems.full) return
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) if (!problems.full) reportUnknown(issue.path as Path, key, tree, problems)
      continue
    }
    const path = withinText(issue.path as Path, tree.root)
    const id = JSON.stringify(path)
    if (reported.has(id)) continue
    reported.add(id)
    report(issue, path, tree, problems)
  }
}

/** A text that stands for a list is one value, whichever of its parts is wrong. */
const withinText = (path: Path, root: unknown): Path =>
  path.length > 0 && typeof valueAt(root, path.slice(0, -1)) === 'string' ? withinText(path.slice(0, -1), root) : path

/** Of a union only the branch that was meant is of interest: the one whose outer type fits the value. */
function narrow(issue: Issue, root: unknown): readonly Issue[] {
  if (issue.code !== 'invalid_union') return [issue]
  const branches = issue.errors.filter(
    (branch) =>
      branch.length > 0 && !branch.some(({ code, path }) => path.length === 0 && (code === 'invalid_type' || code === 'invalid_value')),
  )
  const value = valueAt(root, issue.path as Path)
  // Among maps the one that knows the keys is meant; {env: …} must not be explained as a bad {file: …}.
  const best = branches.toSorted((a, b) => unknownKeys(a) - unknownKeys(b))[0]
  if (best === undefined || (isMap(value) && branches.length > 1 && unknownKeys(best) > 0)) return [issue]
  return best.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }) as Issue).flatMap((inner) => narrow(inner, root))
}

const unknownKeys = (branch: readonly Issue[]): number => branch.filter(({ code }) => code === 'unrecognized_keys').length

function reportUnknown(parent: Path, key: string, tree: Tree, problems: Problems): void {
  const fields = fieldsBelow(parent)
  const near = closest(key, fields)
  const named = fields.length > 0 && fields.length <= 12 ? `; its fields are ${fields.join(', ')}` : ''
  const how = near === null ? `remove it${named}` : `did you mean ${near}?`
  const stretch = tree.places.stretch(tree.root, [...parent, key], 'key')
  const where = parent.length === 0 ? 'a Cluster' : tree.places.stretch(tree.root, parent).path
  problems.add('error', 'KX_CONFIG_UNKNOWN_KEY', { key, parent: where, how }, stretch, key)
}

function report(issue: Issue, path: Path, tree: Tree, problems: Problems): void {
  const value = valueAt(tree.root, path)
  const at = tree.places.stretch(tree.root, path)
  const seen = isSecretKey(String(path.at(-1))) ? masked : shown(value, tree.places.find(tree.root, path).place.text)
  const form = formOf(issue.message)
  if (value === undefined) problems.add('error', 'KX_CONFIG_MISSING', { field: at.path, example: exampleOf(path) ?? 'a value' }, at)
  else if (path.join() === 'apiVersion') problems.add('error', 'KX_CONFIG_API_VERSION', { seen, how: apiVersionFix(seen) }, at, seen)
  else if (issue.code === 'invalid_value') {
    const options = issue.values.map((option) => (option === '' ? '""' : String(option)))
    const best = closest(seen, options) ?? options.join(' or ')
    problems.add('error', 'KX_CONFIG_ENUM', { seen, options: options.join(', '), best }, at, seen)
  } else if (issue.code === 'too_small' || issue.code === 'too_big') reportBound(issue, seen, at, problems)
  else if (form !== undefined && typeof value === 'string') {
    problems.add('error', 'KX_CONFIG_FORMAT', { seen: seen === '' ? '""' : seen, ...form }, at, seen)
  } else reportType(value, expectedOf(issue), seen, exampleOf(path), at, problems)
}

const apiVersionFix = (seen: string): string =>
  /^kubekey\./.test(seen) ? 'convert the file with "kubexm config convert"' : 'write apiVersion: kubexm.mensylisir.io/v1alpha1'

function reportType(value: unknown, expected: string, seen: string, example: string | null, at: Stretch, problems: Problems): void {
  const glued = expected === typeWords.object && typeof value === 'string' ? /^([\w-]+):(\S.*)$/.exec(value) : null
  if (glued !== null) problems.add('error', 'KX_CONFIG_NO_SPACE', { text: seen, better: `${glued[1]}: ${glued[2]}` }, at, seen)
  else
    problems.add(
      'error',
      'KX_CONFIG_TYPE',
      { seen, got: typeName(value), expected, how: typeFix(value, expected, seen, example) },
      at,
      seen,
    )
}

function reportBound(issue: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig, seen: string, at: Stretch, problems: Problems): void {
  const unit = issue.origin === 'array' ? ' entries' : issue.origin === 'string' ? ' characters' : ''
  const bound =
    issue.code === 'too_small'
      ? `${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${unit}`
      : `at most ${issue.maximum}${unit}`
  problems.add('error', 'KX_CONFIG_NUMBER', { seen: seen === '' ? '""' : seen, bound }, at, seen)
}

const typeWords: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a group of fields',
  record: 'a map',
}

function expectedOf(issue: Issue): string {
  if (issue.code === 'invalid_type') return typeWords[issue.expected] ?? issue.expected
  if (issue.code !== 'invalid_union') return 'another value'
  const kinds = issue.errors
    .map((branch) => branch[0])
    .map((first) => (first?.code === 'invalid_type' ? (typeWords[first.expected] ?? first.expected) : 'a group of fields'))
  return [...new Set(kinds)].join(' or ')
}

function typeFix(value: unknown, expected: string, seen: string, example: string | null): string {
  if (expected === 'true or false' && typeof value === 'string')
    return /^(yes|on|y|enabled?|1)$/i.test(value)
      ? 'write true'
      : /^(no|off|n|disabled?|0)$/i.test(value)
        ? 'write false'
        : 'write true or false'
  if (expected === 'a text' && (typeof value === 'number' || typeof value === 'boolean')) return `put it into quotation marks: "${seen}"`
  if (expected.endsWith('number') && typeof value === 'string' && /^\d+$/.test(value))
    return `write ${Number(value)} without quotation marks or leading zeros`
  return example === null ? `write ${expected}` : `write ${expected}, for example ${example}`
}

function typeName(value: unknown): string {
  if (value === null) return 'empty'
  if (Array.isArray(value)) return 'a list'
  if (isMap(value)) return 'a group of fields'
  return typeof value === 'string'
    ? 'a text'
    : typeof value === 'number'
      ? Number.isInteger(value)
        ? 'a number'
        : 'a fraction'
      : 'true or false'
}

/** The value as the user wrote it, short. */
export function shown(value: unknown, written: string | null): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'this list'
  if (isMap(value)) return 'this group'
  const text = typeof value === 'string' ? value : (written ?? String(value))
  return text.length > 80 ? `${text.slice(0, 77)}…` : text
}
