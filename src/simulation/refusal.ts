import type { HostState } from './state.ts'

/**
 * What a host answers to something it will not do: the words and the exit code of the real tool.
 * `left` is the state a failed attempt leaves behind, for instance a unit that is now `failed`.
 */
export class Refusal extends Error {
  readonly code: number
  readonly left: HostState | null

  constructor(stderr: string, code = 1, left: HostState | null = null) {
    super(stderr)
    this.name = 'Refusal'
    this.code = code
    this.left = left
  }
}

/** Makes a refusal; `throw refuse(…)` reads as what it does. */
export const refuse = (stderr: string, code = 1, left: HostState | null = null): Refusal => new Refusal(stderr, code, left)

/** Runs a change and, where it is refused, gives what the refusal leaves behind. */
export function attempt(state: HostState, change: () => HostState): { readonly state: HostState; readonly refused: string | null } {
  try {
    return { state: change(), refused: null }
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    return { state: thrown.left ?? state, refused: thrown.message }
  }
}
