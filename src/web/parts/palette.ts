import { useMemo, useSyncExternalStore } from 'react'
import type { NodeState } from '../../event/event.ts'
import { useApp } from '../app/context.ts'
import { nodeStates } from '../run/states.ts'

const names = ['surface', 'raised', 'sunken', 'line', 'strong-line', 'text', 'muted', 'faint', 'accent', 'critical', 'match'] as const

/** Colours for canvases, which cannot read style sheets. */
export type Palette = Readonly<Record<(typeof names)[number], string>> & {
  readonly state: Readonly<Record<NodeState, string>>
  readonly wash: Readonly<Record<NodeState, string>>
  readonly font: string
}

const dark = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: dark)')
const subscribe = (listener: () => void): (() => void) => {
  const query = dark()
  query.addEventListener('change', listener)
  return () => query.removeEventListener('change', listener)
}

/** The colours of the style sheet as they are now: they change with the theme and with the system. */
export function usePalette(): Palette {
  const { theme } = useApp()
  const systemDark = useSyncExternalStore(subscribe, () => dark().matches)
  // biome-ignore lint/correctness/useExhaustiveDependencies: both decide what the style sheet answers
  return useMemo(readPalette, [theme, systemDark])
}

function readPalette(): Palette {
  const probe = document.createElement('span')
  document.body.append(probe)
  const style = getComputedStyle(probe)
  const colour = (name: string): string => {
    probe.style.color = `var(--${name})`
    return style.color
  }
  const palette = {
    ...(Object.fromEntries(names.map((name) => [name, colour(name)])) as Record<(typeof names)[number], string>),
    state: Object.fromEntries(nodeStates.map((state) => [state, colour(`state-${state}`)])) as Record<NodeState, string>,
    wash: Object.fromEntries(nodeStates.map((state) => [state, colour(`wash-${state}`)])) as Record<NodeState, string>,
    font: style.fontFamily,
  }
  probe.remove()
  return palette
}
