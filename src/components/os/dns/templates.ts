/** What is added to the name resolution of a host. */
export interface Resolvers {
  readonly nameservers: readonly string[]
  readonly searches: readonly string[]
  readonly options: readonly string[]
}

const wordsOf = (line: string): readonly string[] => line.trim().split(/\s+/)

/** What a resolv.conf says. Only the last list of search domains counts, only name servers and options add up. */
function parse(text: string): Resolvers {
  const lines = text.split('\n').map(wordsOf)
  const valuesOf = (...keys: readonly string[]) => lines.filter(([key = '']) => keys.includes(key)).map(([, ...values]) => values)
  return {
    nameservers: valuesOf('nameserver').map(([address = '']) => address),
    searches: valuesOf('search', 'domain').at(-1) ?? [],
    options: valuesOf('options').flat(),
  }
}

/** Whether a resolv.conf asks our servers first already and has the rest as well. */
function isEnough(seen: Resolvers, wanted: Resolvers): boolean {
  return (
    wanted.nameservers.every((address, i) => seen.nameservers[i] === address) &&
    wanted.searches.every((domain) => seen.searches.includes(domain)) &&
    wanted.options.every((option) => seen.options.includes(option))
  )
}

/** Whether a line of a resolv.conf is merged into ours. */
export function isMerged(line: string, text: string, wanted: Resolvers): boolean {
  if (isEnough(parse(text), wanted)) return false
  const [key, value = ''] = wordsOf(line)
  if (key === 'nameserver') return wanted.nameservers.includes(value)
  if (key === 'search' || key === 'domain') return wanted.searches.length > 0
  return key === 'options' && wanted.options.length > 0
}

/**
 * What goes to the top of a resolv.conf: our servers before all others, since the first one to answer is believed even when it says that
 * there is no such name. Null where nothing is missing.
 */
export function resolvConfBlock(text: string, wanted: Resolvers): string | null {
  const seen = parse(text)
  if (isEnough(seen, wanted)) return null
  const list = (key: string, values: readonly string[]): readonly string[] => [`${key} ${[...new Set(values)].join(' ')}`]
  return [
    ...wanted.nameservers.map((address) => `nameserver ${address}`),
    ...(wanted.searches.length > 0 ? list('search', [...wanted.searches, ...seen.searches]) : []),
    // Of two settings of one option the later counts.
    ...(wanted.options.length > 0 ? list('options', [...seen.options, ...wanted.options]) : []),
  ].join('\n')
}

/** A drop-in of systemd-resolved, which knows no resolver options. */
export const resolvedDropIn = ({ nameservers, searches }: Resolvers): string =>
  [
    '[Resolve]',
    ...(nameservers.length > 0 ? [`DNS=${nameservers.join(' ')}`] : []),
    ...(searches.length > 0 ? [`Domains=${searches.join(' ')}`] : []),
    '',
  ].join('\n')
