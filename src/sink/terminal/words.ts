import type { RunView } from './state.ts'

/** `1 host`, `3 hosts`. */
export const count = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`

/** The machines a run is about; the one kubexm runs on is not among them. */
export const hostCount = (view: RunView): string => count(view.hosts.filter((host) => host !== 'local').length, 'host')
