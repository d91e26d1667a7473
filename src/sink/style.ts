import colors from 'picocolors'

export type Paint = (text: string) => string

/** How things look: colours that may be off, and signs that may have to be plain ASCII. */
export interface Style {
  readonly good: Paint
  readonly bad: Paint
  readonly caution: Paint
  readonly accent: Paint
  readonly faint: Paint
  readonly strong: Paint
  readonly icons: Icons
}

interface Icons {
  readonly done: string
  readonly failed: string
  readonly warning: string
  readonly undone: string
  readonly waiting: string
  readonly skipped: string
  readonly start: string
  readonly retry: string
  readonly into: string
  readonly dot: string
  readonly bar: readonly [full: string, empty: string]
  readonly rail: string
  readonly spinner: readonly string[]
}

const unicode: Icons = {
  done: '✔',
  failed: '✗',
  warning: '⚠',
  undone: '↶',
  waiting: '○',
  skipped: '–',
  start: '▸',
  retry: '↻',
  into: '›',
  dot: '·',
  bar: ['━', '─'],
  rail: '│',
  spinner: ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'],
}

const ascii: Icons = {
  done: '+',
  failed: 'x',
  warning: '!',
  undone: '<',
  waiting: 'o',
  skipped: '-',
  start: '>',
  retry: '~',
  into: '>',
  dot: '|',
  bar: ['#', '.'],
  rail: '|',
  spinner: ['-', '\\', '|', '/'],
}

/** The look of kubexm's output; without colours it is the text alone. */
export function styleOf(options: { readonly color: boolean; readonly unicode?: boolean }): Style {
  const paint = colors.createColors(options.color)
  return {
    good: paint.green,
    bad: paint.red,
    caution: paint.yellow,
    accent: paint.cyan,
    faint: paint.dim,
    strong: paint.bold,
    icons: options.unicode === false ? ascii : unicode,
  }
}

/** Neither colours nor signs beyond the text: for pipes and tests. */
export const plainStyle: Style = styleOf({ color: false })
