import { type Code, codes, type Language, type Parameters, textOf } from '../error/index.ts'
import type { Finding } from './event.ts'

/** Makes a finding of the error table; parameters and code are checked against each other by the compiler. */
export function finding<C extends Code>(code: C, params: Parameters<C>, severity: Finding['severity']): Finding {
  return { severity, code, ...textOf(code, params, 'en'), params }
}

/** What a finding says in a language; one without a row in the table keeps its own words. */
export function findingText(
  { code, problem, fix, params }: Finding,
  language: Language,
): { readonly problem: string; readonly fix: string } {
  return params === undefined || !Object.hasOwn(codes, code) ? { problem, fix } : textOf(code as Code, params, language)
}
