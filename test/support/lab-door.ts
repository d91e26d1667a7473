import { spawn } from 'node:child_process'
import { type AddressInfo, createServer } from 'node:net'
import type { TestLab } from './with-lab.ts'

/** A loopback port that leads to one port of a lab host. */
export interface LabDoor extends AsyncDisposable {
  readonly port: number
}

const carry = `const socket = require('node:net').connect(Number(process.argv[2]), process.argv[1])
socket.on('error', () => process.exit(1)); process.stdin.pipe(socket).pipe(process.stdout)`

/**
 * Opens a door into a lab's closed network: this process is outside of it, so each connection is carried by a small process inside.
 * Good for a test of what is said over a connection; for speed, run the whole program inside.
 */
export async function openLabDoor(lab: TestLab, address: string, port = 22): Promise<LabDoor> {
  const carriers = new Set<ReturnType<typeof spawn>>()
  const server = createServer((socket) => {
    const child = spawn('nsenter', [`--net=${lab.netns}`, process.execPath, '-e', carry, '--', address, String(port)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    carriers.add(child)
    socket.pipe(child.stdin)
    child.stdout.pipe(socket)
    child.on('exit', () => {
      carriers.delete(child)
      socket.destroy()
    })
    socket.on('close', () => child.kill('SIGKILL'))
    socket.on('error', () => child.kill('SIGKILL'))
    child.stdin.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: async () => {
      for (const child of carriers) child.kill('SIGKILL')
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
