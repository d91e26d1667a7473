import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { expect, test } from 'vitest'
import { isAlive, listens, startTimeOf, thisProcess } from './processes.ts'

test('a process is told apart from another one with its pid', () => {
  expect(isAlive(thisProcess())).toBe(true)
  expect(isAlive({ ...thisProcess(), startTime: '1' })).toBe(false)
  expect(startTimeOf(2 ** 22 + 1)).toBeNull()
})

test('a process that ended is not alive, even before its exit code is fetched', async () => {
  const child = spawn('sleep', ['60'])
  const owner = { pid: child.pid ?? 0, startTime: startTimeOf(child.pid ?? 0) ?? '' }
  expect(isAlive(owner)).toBe(true)
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGKILL')
  await ended
  expect(isAlive(owner)).toBe(false)
})

test('a listening port is seen, a closed one is not', async () => {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  expect(listens(process.pid, port)).toBe(true)
  await new Promise((resolve) => server.close(resolve))
  expect(listens(process.pid, port)).toBe(false)
})
