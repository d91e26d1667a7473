import { isIPv4, isIPv6 } from 'node:net'

/** An address as a number, so that ranges can be compared. */
export interface Ip {
  readonly family: 4 | 6
  readonly value: bigint
}

/** A block of addresses. */
export interface Cidr {
  readonly family: 4 | 6
  readonly first: bigint
  readonly last: bigint
  readonly prefix: number
  /** The network in its canonical spelling, host bits cleared. */
  readonly text: string
  /** Whether the text it came from had bits set behind the prefix. */
  readonly hadHostBits: boolean
}

const bitsOf = (family: 4 | 6): number => (family === 4 ? 32 : 128)

/** Reads an IPv4 or IPv6 address; null when it is neither. */
export function parseIp(text: string): Ip | null {
  if (isIPv4(text)) return { family: 4, value: text.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n) }
  if (!isIPv6(text) || text.includes('%')) return null
  return {
    family: 6,
    value: BigInt(
      `0x${groupsOf(text)
        .map((group) => group.padStart(4, '0'))
        .join('')}`,
    ),
  }
}

/** Reads `address/prefix`; null when it is not one. */
export function parseCidr(text: string): Cidr | null {
  const match = /^([^/]+)\/(\d{1,3})$/.exec(text)
  const ip = match?.[1] === undefined ? null : parseIp(match[1])
  const prefix = Number(match?.[2])
  if (ip === null || prefix > bitsOf(ip.family)) return null
  const size = 1n << BigInt(bitsOf(ip.family) - prefix)
  const first = ip.value - (ip.value % size)
  return {
    family: ip.family,
    first,
    last: first + size - 1n,
    prefix,
    text: `${formatIp({ family: ip.family, value: first })}/${prefix}`,
    hadHostBits: first !== ip.value,
  }
}

/** The canonical spelling of an address. */
export function formatIp({ family, value }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.')
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 65535n).toString(16)).join(':')
  const longest = (groups.match(/\b0(?::0)+\b/g) ?? []).reduce((a, b) => (b.length > a.length ? b : a), '')
  if (longest === '') return groups
  const at = groups.search(new RegExp(`\\b${longest}\\b`))
  const [before, after] = [groups.slice(0, at), groups.slice(at + longest.length)]
  return `${before.replace(/:$/, '')}::${after.replace(/^:/, '')}`
}

/** The nth address of a block, counted from its first. */
export const addressAt = (block: Cidr, nth: number): string => formatIp({ family: block.family, value: block.first + BigInt(nth) })

/** Whether two blocks share an address. */
export const overlaps = (a: Cidr, b: Cidr): boolean => a.family === b.family && a.first <= b.last && b.first <= a.last

/** Whether an address lies in a block. */
export const contains = (block: Cidr, ip: Ip): boolean => block.family === ip.family && ip.value >= block.first && ip.value <= block.last

function groupsOf(text: string): readonly string[] {
  const tail = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text)
  const plain = tail === null ? text : text.slice(0, tail.index) + embedded(tail.slice(1).map(Number))
  const [head = '', rest] = plain.split('::')
  const left = head === '' ? [] : head.split(':')
  const right = rest === undefined || rest === '' ? [] : rest.split(':')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return [...left, ...zeros, ...right]
}

const embedded = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
