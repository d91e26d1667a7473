import { remembering } from '../util/remember.ts'
import { refuse } from './refusal.ts'

/** Where a command's output or input goes or comes from. */
export interface Redirection {
  readonly stream: 0 | 1 | 2
  readonly append: boolean
  /** A path, or another stream's number as `&1`. */
  readonly target: string
}

/** One program with its words. */
export interface SimpleCommand {
  readonly environment: Readonly<Record<string, string>>
  readonly argv: readonly string[]
  readonly redirections: readonly Redirection[]
}

/** Programs joined by pipes; `when` says on which result of the one before it runs. */
export interface Pipeline {
  readonly when: 'always' | 'success' | 'failure'
  readonly negated: boolean
  readonly commands: readonly SimpleCommand[]
}

type Token = { readonly word: string; readonly quoted: boolean } | { readonly operator: string }

/** Reads the part of POSIX shell that built commands use: words, quotes, `&& || ; |`, redirections and assignments. */
export const parseShell = remembering(readLine, 2000)

function readLine(line: string): readonly Pipeline[] {
  const pipelines: Pipeline[] = []
  let when: Pipeline['when'] = 'always'
  let commands: SimpleCommand[] = []
  let tokens: Token[] = []
  const endCommand = (): void => {
    if (tokens.length > 0) commands.push(simpleCommand(tokens))
    tokens = []
  }
  const endPipeline = (next: Pipeline['when']): void => {
    endCommand()
    if (commands.length > 0) pipelines.push(negation(when, commands))
    commands = []
    when = next
  }
  for (const token of tokenize(line)) {
    if (!('operator' in token)) tokens.push(token)
    else if (token.operator === '|') endCommand()
    else if (token.operator === '&&') endPipeline('success')
    else if (token.operator === '||') endPipeline('failure')
    else if (token.operator === ';' || token.operator === '\n') endPipeline('always')
    else tokens.push(token)
  }
  endPipeline('always')
  return pipelines
}

function negation(when: Pipeline['when'], commands: readonly SimpleCommand[]): Pipeline {
  const [first, ...rest] = commands
  if (first?.argv[0] !== '!') return { when, negated: false, commands }
  return { when, negated: true, commands: [{ ...first, argv: first.argv.slice(1) }, ...rest] }
}

function simpleCommand(tokens: readonly Token[]): SimpleCommand {
  const environment: Record<string, string> = {}
  const argv: string[] = []
  const redirections: Redirection[] = []
  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i]
    if (token === undefined) continue
    if ('operator' in token) {
      const target = tokens[i + 1]
      const [, stream = '', sign = ''] = /^(\d?)(>>|>&|>|<)$/.exec(token.operator) ?? []
      if (target === undefined || 'operator' in target || sign === '')
        throw refuse(`sh: 1: Syntax error: "${token.operator}" unexpected`, 2)
      const number = stream === '' ? (sign === '<' ? 0 : 1) : Number(stream)
      redirections.push({
        stream: number === 2 ? 2 : number === 0 ? 0 : 1,
        append: sign === '>>',
        target: sign === '>&' ? `&${target.word}` : target.word,
      })
      i += 1
      continue
    }
    const assignment = argv.length === 0 ? /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(token.word) : null
    if (assignment?.[1] !== undefined) environment[assignment[1]] = assignment[2] ?? ''
    else argv.push(token.word)
  }
  return { environment, argv, redirections }
}

const operatorAt = /^(?:&&|\|\||\||;|\n|\d?>>|\d?>&|\d?>|\d?<)/

function tokenize(line: string): readonly Token[] {
  const tokens: Token[] = []
  let rest = line
  while (rest !== '') {
    const space = /^(?:[ \t]|\\\n)+/.exec(rest)
    if (space !== null) {
      rest = rest.slice(space[0].length)
      continue
    }
    if (rest.startsWith('#')) {
      rest = rest.replace(/^[^\n]*/, '')
      continue
    }
    const operator = operatorAt.exec(rest)
    if (operator !== null) {
      tokens.push({ operator: operator[0] })
      rest = rest.slice(operator[0].length)
      continue
    }
    const { word, length, quoted } = readWord(rest)
    tokens.push({ word, quoted })
    rest = rest.slice(length)
  }
  return tokens
}

function readWord(text: string): { readonly word: string; readonly length: number; readonly quoted: boolean } {
  let word = ''
  let at = 0
  let quoted = false
  while (at < text.length) {
    const rest = text.slice(at)
    const single = /^'([^']*)'/.exec(rest)
    const double = /^"((?:[^"\\]|\\[\s\S])*)"/.exec(rest)
    const plain = /^(?:[^\s'"\\&|;<>$`()]|\\[\s\S])/.exec(rest)
    if (single !== null) {
      word += single[1] ?? ''
      at += single[0].length
      quoted = true
    } else if (double !== null) {
      const inside = double[1] ?? ''
      if (/(^|[^\\])[$`]/.test(inside)) throw notModelled(inside)
      word += inside.replace(/\\([$`"\\])/g, '$1').replaceAll('\\\n', '')
      at += double[0].length
      quoted = true
    } else if (plain !== null) {
      word += plain[0].length === 2 ? plain[0].slice(1) : plain[0]
      at += plain[0].length
    } else break
  }
  if (at === 0) throw notModelled(text)
  return { word, length: at, quoted }
}

/** A simulated host must not guess what a construct it does not know would do. */
const notModelled = (text: string) => refuse(`sh: 1: the simulated shell does not know: ${text.slice(0, 40)}`, 2)
