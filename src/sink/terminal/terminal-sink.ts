import colors from 'picocolors'
import type { Language } from '../../error/index.ts'
import type { RunEvent, Sink } from '../../event/index.ts'
import type { Millis } from '../../util/time.ts'
import { guarded } from '../output.ts'
import type { StepHistory } from './estimate.ts'
import { renderFrame } from './frame.ts'
import { LiveArea, type TerminalStream } from './live-area.ts'
import { Permanent } from './permanent.ts'
import { plainLines } from './plain.ts'
import { observe, type RunView, startView } from './state.ts'

/** Ten frames a second look alive; more would only cost. */
const frameEvery: Millis = 100

interface TerminalOptions {
  readonly stream: TerminalStream & { readonly isTTY?: boolean }
  /** In place of the stream's own, which follow the window. */
  readonly columns?: number
  readonly rows?: number
  readonly isTTY?: boolean
  readonly color?: boolean
  readonly unicode?: boolean
  readonly language?: Language
  readonly verbose?: boolean
  /** The command that continues this run, for the summary. */
  readonly resumeCommand?: string
  /** What is known of durations from earlier runs. */
  readonly history?: StepHistory
  readonly now?: () => Millis
}

/** Shows a run to a person: a live tree on a terminal, plain lines in a pipe. */
export function terminalSink(options: TerminalOptions): Sink {
  const isTTY = options.isTTY ?? options.stream.isTTY === true
  const permanent = new Permanent({
    color: options.color ?? (isTTY && colors.isColorSupported),
    unicode: options.unicode ?? true,
    language: options.language ?? 'en',
    verbose: options.verbose ?? false,
    ...(options.resumeCommand === undefined ? {} : { resumeCommand: options.resumeCommand }),
  })
  return isTTY ? new LiveTerminal(options, permanent) : new PlainTerminal(options, permanent)
}

class PlainTerminal implements Sink {
  readonly name = 'the output'
  readonly #out: ReturnType<typeof guarded>
  readonly #columns: number
  readonly #permanent: Permanent
  #view: RunView | null = null

  constructor({ stream, columns }: TerminalOptions, permanent: Permanent) {
    this.#out = guarded(stream)
    this.#columns = columns ?? 100
    this.#permanent = permanent
  }

  accept(event: RunEvent): void {
    if (event.type === 'pipeline.started') this.#view = startView(event)
    if (this.#view !== null) observe(this.#view, event)
    const progress = this.#view === null ? [] : plainLines(event, this.#view, this.#permanent.style)
    const lines = this.#permanent.spaced([...progress, ...this.#permanent.linesOf(event, this.#view, this.#columns)])
    if (lines.length > 0) this.#out.write(`${lines.join('\n')}\n`)
  }

  flush(): Promise<void> {
    return this.#out.flush()
  }
}

class LiveTerminal implements Sink {
  readonly name = 'the terminal'
  readonly #options: TerminalOptions
  readonly #out: ReturnType<typeof guarded>
  readonly #area: LiveArea
  readonly #permanent: Permanent
  #view: RunView | null = null
  #pending: string[] = []
  #timer: NodeJS.Timeout | null = null
  readonly #onExit = (): void => this.#leave()

  constructor(options: TerminalOptions, permanent: Permanent) {
    this.#options = options
    this.#out = guarded(options.stream)
    const { stream } = options
    this.#area = new LiveArea({
      write: (text) => this.#out.write(text),
      get columns() {
        return options.columns ?? stream.columns ?? 80
      },
      get rows() {
        return options.rows ?? stream.rows ?? 24
      },
    })
    this.#permanent = permanent
  }

  accept(event: RunEvent): void {
    if (event.type === 'pipeline.started') this.#begin(startView(event))
    if (this.#view !== null) observe(this.#view, event)
    this.#pending.push(...this.#permanent.spaced(this.#permanent.linesOf(event, this.#view, Math.min(this.#columns, 120))))
    if (event.type === 'pipeline.finished') this.#leave()
    // Without a run there are no frames to carry the lines along.
    else if (this.#timer === null) this.#print()
  }

  flush(): Promise<void> {
    this.#leave()
    return this.#out.flush()
  }

  get #columns(): number {
    return this.#options.columns ?? this.#options.stream.columns ?? 80
  }

  #begin(view: RunView): void {
    this.#view = view
    if (this.#timer !== null) return
    this.#timer = setInterval(() => this.#draw(), frameEvery)
    this.#timer.unref()
    // Whatever ends the process, the cursor has to come back.
    process.once('exit', this.#onExit)
  }

  #draw(): void {
    if (this.#view === null) return
    const { options, style } = { options: this.#options, style: this.#permanent.style }
    const now = (options.now ?? Date.now)()
    const gap = this.#permanent.endsBlank ? 0 : 1
    const rows = (options.rows ?? options.stream.rows ?? 24) - gap
    const frame = renderFrame(this.#view, this.#columns, rows, now, {
      style,
      ...(options.history === undefined ? {} : { history: options.history }),
    })
    this.#area.draw(gap === 0 ? frame : ['', ...frame], this.#pending)
    this.#pending = []
  }

  #print(): void {
    const lines = this.#pending
    if (lines.length === 0) return
    this.#pending = []
    this.#out.write(`${lines.join('\n')}\n`)
  }

  #leave(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
    process.removeListener('exit', this.#onExit)
    this.#area.close()
    this.#print()
  }
}
