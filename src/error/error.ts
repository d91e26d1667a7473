import type { Where } from '../util/where.ts'
import { codes } from './codes/index.ts'
import { type CodeEntry, type ErrorText, exitCodes } from './define.ts'

type Codes = typeof codes
/** A stable name of a kind of error: documented in `docs/errors.md`, accepted by `skipChecks`, reported in JSON. */
export type Code = keyof Codes
export type Language = 'en' | 'zh'

type ParametersIn<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | ParametersIn<Rest> : never
type ParameterNames<C extends Code> = ParametersIn<Codes[C]['en']['problem']> | ParametersIn<Codes[C]['en']['fix']>
/** The values a code's texts need; a missing one does not compile. */
export type Parameters<C extends Code> = { readonly [Name in ParameterNames<C>]: string | number }

interface Circumstances {
  readonly where?: Partial<Where>
  /** What was seen: the last lines of a command's output, the line of a file. */
  readonly seen?: string
  /** In place of the table's fix, where the thrower knows better. */
  readonly fix?: string
  readonly cause?: unknown
}

/** The one error class: what failed, where, what was seen, what to do. The words come from the table, in either language. */
export class KubexmError extends Error {
  readonly code: Code
  readonly params: Readonly<Record<string, string | number>>
  readonly where: Partial<Where>
  readonly seen: string | null
  readonly #fix: string | undefined

  constructor(code: Code, params: Readonly<Record<string, string | number>>, circumstances: Circumstances = {}) {
    super(fill(entry(code).en.problem, params), { cause: circumstances.cause })
    this.name = 'KubexmError'
    this.code = code
    this.params = params
    this.where = circumstances.where ?? {}
    this.seen = circumstances.seen ?? null
    this.#fix = circumstances.fix
  }

  get exitCode(): number {
    return exitCodes[entry(this.code).kind]
  }

  get retryable(): boolean {
    return entry(this.code).retryable === true
  }

  get fix(): string {
    return this.text('en').fix
  }

  text(language: Language): Pick<ErrorText, 'problem' | 'fix'> {
    const { problem, fix } = textOf(this.code, this.params, language)
    return { problem, fix: this.#fix ?? fix }
  }

  /** The same error with more known about its place; what is already known stays. */
  at(where: Partial<Where>): KubexmError {
    return new KubexmError(this.code, this.params, {
      where: { ...where, ...this.where },
      ...(this.seen === null ? {} : { seen: this.seen }),
      ...(this.#fix === undefined ? {} : { fix: this.#fix }),
      cause: this.cause,
    })
  }
}

/** Makes an error of the table; parameters and code are checked against each other by the compiler. */
export function fail<C extends Code>(code: C, params: Parameters<C>, circumstances?: Circumstances): KubexmError {
  return new KubexmError(code, params, circumstances)
}

/** Whatever was thrown, as an error of the table: a foreign error is a bug of ours until it is given a code. */
export function asKubexmError(thrown: unknown): KubexmError {
  if (thrown instanceof KubexmError) return thrown
  const what = thrown instanceof Error ? thrown.message : String(thrown)
  return new KubexmError('KX_BUG', { what }, { cause: thrown })
}

/** The words of a code with these values, for what is reported and not thrown. */
export function textOf(
  code: Code,
  params: Readonly<Record<string, string | number>>,
  language: Language,
): Pick<ErrorText, 'problem' | 'fix'> {
  const { problem, fix } = entry(code)[language]
  return { problem: fill(problem, params), fix: fill(fix, params) }
}

const entry = (code: Code): CodeEntry => codes[code]

const fill = (template: string, params: Readonly<Record<string, string | number>>): string =>
  template.replace(/\{(\w+)\}/g, (whole, name: string) => (name in params ? String(params[name]) : whole))
