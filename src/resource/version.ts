/** Orders versions number by number, a leading `v` and missing parts ignored; a pre-release comes before its release. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parts(a), parts(b)]
  for (let i = 0; i < Math.max(left.numbers.length, right.numbers.length); i++) {
    const difference = (left.numbers[i] ?? 0) - (right.numbers[i] ?? 0)
    if (difference !== 0) return difference
  }
  if (left.rest === right.rest) return 0
  if (left.rest === '' || right.rest === '') return left.rest === '' ? 1 : -1
  return left.rest < right.rest ? -1 : 1
}

/** `v1.34` of `v1.34.4`. */
export const minorOf = (version: string): string => `v${parts(version).numbers.slice(0, 2).join('.')}`

/** The version without its leading `v`. */
export const numberOf = (version: string): string => version.replace(/^v/, '')

/** The version with a leading `v`. */
export const withV = (version: string): string => (version.startsWith('v') ? version : `v${version}`)

function parts(version: string): { readonly numbers: readonly number[]; readonly rest: string } {
  const [, numbers = '', rest = ''] = /^v?([\d.]*)(.*)$/.exec(version) ?? []
  return { numbers: numbers.split('.').map(Number), rest }
}
