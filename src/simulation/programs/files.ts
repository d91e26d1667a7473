import { posix } from 'node:path'
import { Content } from '../content.ts'
import type { Entry } from '../entry.ts'
import { copyPath, listNames, makeDirectory, makeLink, movePath, readText, removePath, setAttributes, writeFile } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { entryAt, joinNames, locate } from '../tree.ts'
import { words } from './words.ts'

const missing = (program: string, path: string) => complains(`${program}: ${path}: No such file or directory`)

const cat: ProgramModel = (argv, ctx) => {
  const { operands } = words(argv)
  if (operands.length === 0) return says(ctx.stdin)
  let text = ''
  for (const path of operands) {
    const content = path === '-' ? ctx.stdin : readText(ctx.state, path)
    if (content === null) return missing('cat', path)
    text += content
  }
  return says(text)
}

const ls: ProgramModel = (argv, ctx) => {
  const [path = '/'] = words(argv).operands
  const entry = entryAt(ctx.state.root, path)
  if (entry === null) return complains(`ls: cannot access '${path}': No such file or directory`, 2)
  const names = entry.type === 'directory' ? listNames(ctx.state, path) : [path]
  return says(names.map((name) => `${name}\n`).join(''))
}

const mkdir: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, ['-m'])
  for (const path of operands) {
    const there = entryAt(ctx.state.root, path)
    if (there !== null && !flags.has('-p')) return complains(`mkdir: cannot create directory '${path}': File exists`)
    if (there?.type === 'directory') continue
    if (!flags.has('-p') && entryAt(ctx.state.root, posix.dirname(path)) === null)
      return complains(`mkdir: cannot create directory '${path}': No such file or directory`)
    ctx.state = makeDirectory(ctx.state, path, { mode: values.get('-m') ?? '0755' })
  }
  return says()
}

const rm: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const recursive = flags.has('-r') || flags.has('-R')
  for (const path of operands) {
    const entry = entryAt(ctx.state.root, path, false)
    if (entry === null && !flags.has('-f')) return complains(`rm: cannot remove '${path}': No such file or directory`)
    if (entry?.type === 'directory' && !recursive) return complains(`rm: cannot remove '${path}': Is a directory`)
    ctx.state = removePath(ctx.state, path, recursive)
  }
  return says()
}

const rmdir: ProgramModel = (argv, ctx) => {
  for (const path of words(argv).operands) {
    if (entryAt(ctx.state.root, path, false)?.type !== 'directory')
      return complains(`rmdir: failed to remove '${path}': No such file or directory`)
    ctx.state = removePath(ctx.state, path, false)
  }
  return says()
}

/** `cp a dir` puts it into the directory, as the real one does. */
const targetOf = (ctx: ProgramContext, from: string, to: string): string =>
  entryAt(ctx.state.root, to)?.type === 'directory' ? `${to}/${posix.basename(from)}` : to

const cp: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const to = operands.at(-1) ?? ''
  for (const from of operands.slice(0, -1)) {
    const entry = entryAt(ctx.state.root, from)
    if (entry === null) return complains(`cp: cannot stat '${from}': No such file or directory`)
    if (entry.type === 'directory' && !['-r', '-R', '-a'].some((flag) => flags.has(flag)))
      return complains(`cp: -r not specified; omitting directory '${from}'`)
    ctx.state = copyPath(ctx.state, from, targetOf(ctx, from, to))
  }
  return says()
}

const mv: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const to = operands.at(-1) ?? ''
  for (const from of operands.slice(0, -1)) ctx.state = movePath(ctx.state, from, flags.has('-T') ? to : targetOf(ctx, from, to))
  return says()
}

const ln: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const [target = '', path = ''] = operands
  if (!flags.has('-s')) return complains('ln: the simulated host makes symbolic links only')
  if (!flags.has('-f') && entryAt(ctx.state.root, path, false) !== null)
    return complains(`ln: failed to create symbolic link '${path}': File exists`)
  ctx.state = makeLink(ctx.state, path, target)
  return says()
}

const chmod: ProgramModel = (argv, ctx) => {
  const [mode = '', ...paths] = words(argv).operands
  for (const path of paths) ctx.state = setAttributes(ctx.state, path, { mode })
  return says()
}

const chown: ProgramModel = (argv, ctx) => {
  const [owner = '', ...paths] = words(argv).operands
  for (const path of paths) ctx.state = setAttributes(ctx.state, path, { mode: entryAt(ctx.state.root, path)?.mode ?? '0644', owner })
  return says()
}

const touch: ProgramModel = (argv, ctx) => {
  for (const path of words(argv).operands)
    if (entryAt(ctx.state.root, path) === null) ctx.state = writeFile(ctx.state, path, new Content(''), { mode: '0644' })
  return says()
}

const tee: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  for (const path of operands) {
    const before = flags.has('-a') ? (readText(ctx.state, path) ?? '') : ''
    ctx.state = writeFile(ctx.state, path, new Content(before + ctx.stdin), { mode: entryAt(ctx.state.root, path)?.mode ?? '0644' })
  }
  return says(ctx.stdin)
}

const sha256sum: ProgramModel = (argv, ctx) => {
  const lines: string[] = []
  for (const path of words(argv).operands) {
    const entry = entryAt(ctx.state.root, path)
    if (entry?.type !== 'file') return missing('sha256sum', path)
    lines.push(`${entry.content.sha256}  ${path}\n`)
  }
  return says(lines.join(''))
}

const readlink: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const [path = ''] = operands
  if (flags.has('-f')) return says(`${joinNames(locate(ctx.state.root, path).names)}\n`)
  const entry = entryAt(ctx.state.root, path, false)
  return entry?.type === 'link' ? says(`${entry.target}\n`) : complains('', 1)
}

const fileTests: Readonly<Record<string, (entry: Entry | null) => boolean>> = {
  '-e': (entry) => entry !== null,
  '-f': (entry) => entry?.type === 'file',
  '-d': (entry) => entry?.type === 'directory',
  '-s': (entry) => entry?.type === 'file' && entry.content.size > 0,
  '-x': (entry) => entry !== null && (Number.parseInt(entry.mode, 8) & 0o111) !== 0,
  '-r': (entry) => entry !== null,
  '-w': (entry) => entry !== null,
}

const test: ProgramModel = (argv, ctx) => {
  const given = argv[0]?.endsWith('[') ? argv.slice(1, -1) : argv.slice(1)
  const negated = given[0] === '!'
  const [a = '', b = '', c] = negated ? given.slice(1) : given
  const holds = evaluate(a, b, c, ctx)
  return { code: holds === negated ? 1 : 0, stdout: '', stderr: '' }
}

function evaluate(a: string, b: string, c: string | undefined, ctx: ProgramContext): boolean {
  if (c !== undefined) {
    if (b === '=' || b === '==') return a === c
    if (b === '!=') return a !== c
    if (b === '-eq') return Number(a) === Number(c)
    return b === '-gt' ? Number(a) > Number(c) : b === '-lt' && Number(a) < Number(c)
  }
  if (a === '-n') return b !== ''
  if (a === '-z') return b === ''
  if (a === '-L' || a === '-h') return entryAt(ctx.state.root, b, false)?.type === 'link'
  return fileTests[a]?.(entryAt(ctx.state.root, b)) ?? a !== ''
}

/** Programs that look at files and change them. */
export function registerFilePrograms(table: ProgramTable): void {
  const models = { cat, ls, mkdir, rm, rmdir, cp, mv, ln, chmod, chown, touch, tee, sha256sum, readlink, test, '[': test }
  for (const [name, model] of Object.entries(models)) table.register(name, model, { needsFile: true })
}
