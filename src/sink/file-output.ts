import { createWriteStream } from 'node:fs'
import { fail } from '../error/index.ts'
import type { Output } from './output.ts'

/** A file that lines are appended to; readable by its owner only, since what a run tells is nobody else's business. */
export function fileOutput(file: string): Output {
  const stream = createWriteStream(file, { flags: 'a', mode: 0o600 })
  const named = (error: Error): Error => fail('KX_RECORD_WRITE', { file, why: error.message }, { cause: error })
  return {
    write: (text, done) => stream.write(text, (error) => done?.(error ? named(error) : null)),
    on: (event, listener) => stream.on(event, (error: Error) => listener(named(error))),
  }
}
