import { type ChildProcess, spawn } from 'node:child_process'
import { userInfo } from 'node:os'
import { seconds, systemClock } from '../util/time.ts'
import type { Connection, Connector, ExecIo, ExecResult } from './connection.ts'
import { afterMarker, type Launch, launch } from './launch.ts'
import { pump } from './pump.ts'

const graceForStreams = seconds(2)

/** The machine kubexm runs on, reached without any network. */
export function localConnector(): Connector {
  return { kind: 'local', connect: async () => connection }
}

const connection: Connection = {
  root: process.getuid?.() === 0,
  user: userInfo().username,
  alive: true,
  exec,
  // There is nothing to close: every command is a process of its own.
  [Symbol.asyncDispose]: async () => undefined,
}

async function exec(command: string, io: ExecIo): Promise<ExecResult> {
  io.signal.throwIfAborted()
  const start = launch(command)
  // A session of its own, so that a Ctrl-C in our terminal does not reach it before we decide what to do.
  const child = spawn('/bin/sh', start.argv, { detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  return await attend(child, start, io)
}

async function attend(child: ChildProcess, start: Launch, io: ExecIo): Promise<ExecResult> {
  const ended = Promise.withResolvers<ExecResult>()
  const stdout = afterMarker(start.marker, (chunk) => io.onStdout(chunk))
  const stderr = afterMarker(start.marker, (chunk) => io.onStderr(chunk))
  const stream = (filter: typeof stdout) => (chunk: Buffer) => {
    try {
      filter.push(chunk)
    } catch (thrown) {
      ended.reject(thrown)
    }
  }
  child.stdout?.on('data', stream(stdout))
  child.stderr?.on('data', stream(stderr))
  child.stdin?.on('error', () => undefined)
  const asResult = (code: number | null, signal: string | null): ExecResult =>
    code === null ? { code: 128, signal: (signal ?? '').replace(/^SIG/, '') } : { code }
  child.once('error', (thrown) => ended.reject(thrown))
  // A child the command left behind may hold the streams open for ever.
  child.once('exit', (code, signal) => systemClock.after(graceForStreams, () => ended.resolve(asResult(code, signal))))
  child.once('close', (code, signal) => ended.resolve(asResult(code, signal)))
  const endProcesses = async (): Promise<void> => {
    const { command, stdin } = io.elevate?.(start.killScript) ?? { command: start.killScript }
    await exec(command, {
      signal: AbortSignal.timeout(seconds(10)),
      onStdout: () => undefined,
      onStderr: () => undefined,
      ...(stdin === undefined ? {} : { stdin }),
    }).catch(() => undefined)
  }
  let killing: Promise<void> | null = null
  const kill = (): Promise<void> => {
    killing ??= endProcesses()
    return killing
  }
  const onAbort = (): void => {
    const refuse = (): void => ended.reject(io.signal.reason)
    kill().then(refuse, refuse)
  }
  io.signal.addEventListener('abort', onAbort, { once: true })
  if (child.stdin !== null) pump(child.stdin, start.stdinPrefix, io.stdin, ended.promise).catch((thrown: unknown) => ended.reject(thrown))
  try {
    const result = await ended.promise
    io.signal.throwIfAborted()
    return result
  } catch (thrown) {
    if (child.exitCode === null) await kill()
    throw thrown
  } finally {
    io.signal.removeEventListener('abort', onAbort)
    child.stdout?.destroy()
    child.stderr?.destroy()
  }
}
