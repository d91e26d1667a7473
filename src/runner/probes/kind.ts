import type { Frame } from '../frames.ts'
import type { Probe, StateOf } from '../probe.ts'

/** The probes of one kind. */
export type ProbeOf<K extends Probe['kind']> = Extract<Probe, { readonly kind: K }>

/** How one kind of probe is asked in shell and its answer understood. */
export interface ProbeKind<K extends Probe['kind']> {
  script(probe: ProbeOf<K>): string
  parse(answer: Frame, probe: ProbeOf<K>): StateOf<ProbeOf<K>>
}

/** The text of an answer. */
export const textOf = (answer: Frame): string => answer.output.toString()

/** The lines of an answer, without the empty ones. */
export const linesOf = (answer: Frame): readonly string[] =>
  textOf(answer)
    .split('\n')
    .filter((line) => line !== '')
