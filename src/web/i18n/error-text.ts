import { type Code, codes, textOf } from '../../error/index.ts'
import type { ErrorJson, FindingJson, ShortError } from '../api/types.ts'

/** An error of an event in Chinese; events carry English words and the values in them. */
export function errorInChinese(error: ShortError | ErrorJson | FindingJson): ShortError {
  const params = 'params' in error ? error.params : undefined
  if (params === undefined || !Object.hasOwn(codes, error.code)) return error
  const code = error.code as Code
  const { problem, fix } = textOf(code, params, 'zh')
  // A fix that is not the table's was written for this case: better in English than not at all.
  return { code, problem, fix: textOf(code, params, 'en').fix === error.fix ? fix : error.fix }
}
