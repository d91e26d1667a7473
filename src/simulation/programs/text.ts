import { posix } from 'node:path'
import { readText } from '../files.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { words } from './words.ts'

const echo: ProgramModel = (argv) => (argv[1] === '-n' ? says(argv.slice(2).join(' ')) : says(`${argv.slice(1).join(' ')}\n`))

const printf: ProgramModel = (argv) => {
  const [format = '', ...args] = argv.slice(1)
  const rest = [...args]
  const once = (): string =>
    format.replace(/%[sd%]|\\n|\\t|\\\\/g, (token) => ({ '%%': '%', '\\n': '\n', '\\t': '\t', '\\\\': '\\' })[token] ?? rest.shift() ?? '')
  let text = once()
  while (rest.length > 0 && /%[sd]/.test(format)) text += once()
  return says(text)
}

const inputOf = (paths: readonly string[], ctx: ProgramContext): string =>
  paths.length === 0 ? ctx.stdin : paths.map((path) => readText(ctx.state, path) ?? '').join('')

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'))
const unlines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

const grep: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, ['-e'])
  const given = values.get('-e')
  const [pattern = '', ...paths] = given === undefined ? operands : [given, ...operands]
  const source = flags.has('-F') ? pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : pattern
  const matcher = new RegExp(flags.has('-x') ? `^(?:${source})$` : source, flags.has('-i') ? 'i' : '')
  const found = linesOf(inputOf(paths, ctx)).filter((line) => matcher.test(line) !== flags.has('-v'))
  const stdout = flags.has('-q') ? '' : flags.has('-c') ? `${found.length}\n` : unlines(found)
  return { code: found.length > 0 ? 0 : 1, stdout, stderr: '' }
}

const head: ProgramModel = (argv, ctx) => {
  const { values, operands } = words(argv, ['-n'])
  return says(unlines(linesOf(inputOf(operands, ctx)).slice(0, Number(values.get('-n') ?? 10))))
}

const tail: ProgramModel = (argv, ctx) => {
  const { values, operands } = words(argv, ['-n'])
  return says(unlines(linesOf(inputOf(operands, ctx)).slice(-Number(values.get('-n') ?? 10))))
}

const sort: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const lines = [...linesOf(inputOf(operands, ctx))].sort()
  return says(unlines(flags.has('-u') ? [...new Set(lines)] : lines))
}

const wc: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  const text = inputOf(operands, ctx)
  return says(`${flags.has('-c') ? Buffer.byteLength(text) : linesOf(text).length}\n`)
}

/** `kubexm-certificates PATH…`: the certificates in each file, and no keys. */
const certificates: ProgramModel = (argv, ctx) => {
  const told = argv.slice(1).map((path) => {
    const text = readText(ctx.state, path) ?? ''
    const found = path.endsWith('.conf')
      ? [...text.matchAll(/^ *client-certificate-data: *(.*)$/gm)].map(([, data = '']) => `${data}\n`)
      : [...text.matchAll(/^-----BEGIN CERTIFICATE-----\n[^-]*-----END CERTIFICATE-----\n/gm)].map(([pem]) => pem)
    return `=== ${path}\n${found.join('')}`
  })
  return says(told.join(''))
}

/** Programs about text and paths alone. */
export function registerTextPrograms(table: ProgramTable): void {
  const models: Readonly<Record<string, ProgramModel>> = {
    true: () => says(),
    false: () => complains('', 1),
    ':': () => says(),
    sleep: () => says(),
    echo,
    printf,
    grep,
    head,
    tail,
    sort,
    wc,
    'kubexm-certificates': certificates,
    basename: (argv) => says(`${posix.basename(argv[1] ?? '', argv[2])}\n`),
    dirname: (argv) => says(`${posix.dirname(argv[1] ?? '')}\n`),
  }
  const inTheShell = new Set([':', 'true', 'false', 'echo', 'printf', 'kubexm-certificates'])
  for (const [name, model] of Object.entries(models)) table.register(name, model, { needsFile: !inTheShell.has(name) })
}
