import type { Connection, ExecIo, ExecResult } from '../../src/connector/index.ts'
import { KubexmError } from '../../src/error/index.ts'

/** What a command printed and how it ended. */
export interface Ran extends ExecResult {
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command and keeps what it prints. */
export async function ran(connection: Connection, command: string, io: Partial<ExecIo> = {}): Promise<Ran> {
  const out: Uint8Array[] = []
  const err: Uint8Array[] = []
  const result = await connection.exec(command, {
    signal: AbortSignal.timeout(60_000),
    onStdout: (chunk) => {
      out.push(chunk)
    },
    onStderr: (chunk) => {
      err.push(chunk)
    },
    ...io,
  })
  return { ...result, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }
}

/** The error of the table a promise is rejected with; anything else fails the test. */
export async function refusal(work: Promise<unknown>): Promise<KubexmError> {
  const thrown = await work.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  )
  if (thrown instanceof KubexmError) return thrown
  throw thrown
}

/** A signal that does not abort while a test may run. */
export const patient = (): AbortSignal => AbortSignal.timeout(60_000)
