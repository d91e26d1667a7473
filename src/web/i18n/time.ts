import type { Language } from './text.ts'

/** `950 ms`, `4.2 s`, `3 min 05 s`, `2 h 10 min`: as short as it is exact enough. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 9950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} min`
}

/** The time of day, for lines of a log. */
export function clockText(at: number): string {
  const date = new Date(at)
  const two = (n: number): string => String(n).padStart(2, '0')
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

const days: Readonly<Record<Language, string>> = { en: 'en-GB', zh: 'zh-CN' }

/** Day and time, for lists. */
export function dateText(at: string | number, language: Language): string {
  return new Intl.DateTimeFormat(days[language], { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at))
}

/** The day alone. */
export function dayText(at: string, language: Language): string {
  return new Intl.DateTimeFormat(days[language], { dateStyle: 'medium' }).format(new Date(at))
}

/** `3 minutes ago`. */
export function agoText(at: number, now: number, language: Language): string {
  const relative = new Intl.RelativeTimeFormat(days[language], { numeric: 'auto' })
  const seconds = Math.round((at - now) / 1000)
  if (Math.abs(seconds) < 60) return relative.format(seconds, 'second')
  if (Math.abs(seconds) < 3600) return relative.format(Math.round(seconds / 60), 'minute')
  if (Math.abs(seconds) < 86_400) return relative.format(Math.round(seconds / 3600), 'hour')
  return relative.format(Math.round(seconds / 86_400), 'day')
}
