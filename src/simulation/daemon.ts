import type { DaemonModel, Listening } from './state.ts'

/** The value of `--name=value` or `--name value`, or null. */
export function flag(argv: readonly string[], name: string): string | null {
  for (const [i, word] of argv.entries()) {
    if (word === `--${name}`) return argv[i + 1] ?? ''
    if (word.startsWith(`--${name}=`)) return word.slice(name.length + 3)
  }
  return null
}

/** A TCP port on all addresses unless told otherwise. */
export const tcp = (port: number, address = '0.0.0.0'): Listening => ({ protocol: 'tcp', address, port })

/** Listens on a fixed set of ports. */
export const listensOn =
  (...ports: readonly Listening[]): DaemonModel =>
  () => ({ listens: ports })

/** Listens where a flag says, `https://10.0.0.1:2379,https://127.0.0.1:2379` included, or on the default port. */
export function portsOfUrls(text: string | null, fallback: number): readonly Listening[] {
  if (text === null || text === '') return [tcp(fallback)]
  return text.split(',').map((url) => {
    const parsed = new URL(url)
    return tcp(Number(parsed.port || fallback), parsed.hostname.replace(/^\[|\]$/g, ''))
  })
}
