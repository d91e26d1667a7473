import type { Millis } from './time.ts'

const units: Readonly<Record<string, Millis>> = {
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  y: 365 * 86_400_000,
}

/** Reads a duration such as `8760h` or `1d12h`; null when it is not one. */
export function parseDuration(text: string): Millis | null {
  if (!/^(\d+(\.\d+)?(ms|s|m|h|d|y))+$/.test(text)) return null
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|y)/g)
  return [...parts].reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
}

/** A duration as programs in Go read it: they know no days and no years. */
export const goDuration = (text: string): string => (/[dy]/.test(text) ? `${(parseDuration(text) ?? 0) / 1000}s` : text)
