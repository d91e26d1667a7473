/** Where a host says which name servers it asks; the second is written by systemd-resolved, where the first one names only its stub. */
export const resolverFiles = { own: '/etc/resolv.conf', behindStub: '/run/systemd/resolve/resolv.conf' } as const

/** The name servers a resolv.conf names. */
const nameServersIn = (text: string): readonly string[] =>
  [...text.matchAll(/^[ \t]*nameserver[ \t]+(\S+)/gm)].map((match) => match[1] ?? '')

/** The file pods inherit from their host, and the servers in it: those behind the stub where there is one, since a pod cannot reach it. */
export function podResolver(own: string, behindStub: string | null): { readonly file: string; readonly servers: readonly string[] } {
  const servers = nameServersIn(own)
  const isStub = servers.length > 0 && servers.every((server) => server === '127.0.0.53')
  if (!isStub || behindStub === null) return { file: resolverFiles.own, servers }
  return { file: resolverFiles.behindStub, servers: nameServersIn(behindStub) }
}
