/** What text can be written to: a file, a pipe, a terminal, or an array in a test. */
export interface Output {
  write(text: string, done?: (error?: Error | null) => void): unknown
  on?(event: 'error', listener: (error: Error) => void): unknown
}

interface GuardedOutput {
  write(text: string): void
  /** Resolves when everything is written; rejects with what went wrong, unless the reader merely left. */
  flush(): Promise<void>
}

/**
 * Output that cannot hurt the run: a pipe whose reader has gone (`kubexm … | head`) raises an error on the stream that would otherwise
 * end the process in the middle of a change.
 */
export function guarded(output: Output): GuardedOutput {
  let broken: Error | null = null
  output.on?.('error', (error) => {
    broken ??= error
  })
  return {
    write: (text) => {
      if (broken === null) output.write(text)
    },
    flush: async () => {
      if (broken === null && output.on !== undefined) {
        await new Promise<void>((resolve) =>
          output.write('', (error) => {
            if (error) broken ??= error
            resolve()
          }),
        )
      }
      if (broken !== null && !('code' in broken && broken.code === 'EPIPE')) throw broken
    },
  }
}
