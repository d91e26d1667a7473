/** The exit codes of the command line, by kind of failure. */
export const exitCodes = {
  bug: 1,
  usage: 2,
  config: 10,
  connection: 11,
  preflight: 12,
  step: 13,
  rollback: 14,
  locked: 15,
  cancelled: 130,
} as const

export type ErrorKind = keyof typeof exitCodes

/** The words of one error in one language. `{name}` in `problem` and `fix` is a parameter the thrower must give. */
export interface ErrorText {
  readonly problem: string
  /** Why this happens: shown in the catalogue, not on the screen. */
  readonly cause: string
  readonly fix: string
}

export interface CodeEntry {
  readonly kind: ErrorKind
  /** Whether the same action may well succeed a moment later. */
  readonly retryable?: true
  readonly en: ErrorText
  readonly zh: ErrorText
}

/** Declares one area of the error table; the literal texts are kept in the type, so that parameters are checked. */
export const defineCodes = <const T extends Readonly<Record<`KX_${string}`, CodeEntry>>>(codes: T): T => codes
