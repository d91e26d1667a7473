import { describe, expect, it } from 'vitest'
import { fail } from '../error/index.ts'
import type { Connection, Connector } from './connection.ts'
import { ConnectionPool } from './pool.ts'

const live = (): AbortSignal => new AbortController().signal
const io = () => ({ signal: live(), onStdout: () => undefined, onStderr: () => undefined })

/** A machine whose line can break: counts how often it was dialled, how many at once, and what is still open. */
function machine(options: { readonly failFirst?: number } = {}) {
  const seen = { dialled: 0, open: 0, commands: [] as string[], line: { alive: true } }
  const connector: Connector = {
    kind: 'simulated',
    connect: async (signal) => {
      seen.dialled++
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
      if (seen.dialled <= (options.failFirst ?? 0)) throw fail('KX_CONNECT_REFUSED', { address: 'a', port: 22 })
      seen.open++
      const line = { alive: true }
      seen.line = line
      const connection: Connection = {
        root: true,
        get alive() {
          return line.alive
        },
        exec: async (command) => {
          if (!line.alive) throw fail('KX_CONNECTION_LOST', { address: 'a', why: 'cut' })
          seen.commands.push(command)
          return { code: 0 }
        },
        [Symbol.asyncDispose]: async () => {
          seen.open--
        },
      }
      return connection
    },
  }
  return { seen, connector }
}

describe('the pool', () => {
  it('dials once for all who ask at the same time, and closes all at the end', async () => {
    const { seen, connector } = machine()
    {
      await using pool = new ConnectionPool()
      pool.add('a', connector)
      const connections = await Promise.all(Array.from({ length: 5 }, () => pool.connect('a', live())))
      await Promise.all(connections.map((connection) => connection.exec('x', io())))
      expect(seen).toMatchObject({ dialled: 1, open: 1, commands: ['x', 'x', 'x', 'x', 'x'] })
    }
    expect(seen.open).toBe(0)
  })

  it('dials again when the line is dead, and after a dial that failed', async () => {
    const { seen, connector } = machine({ failFirst: 1 })
    await using pool = new ConnectionPool()
    pool.add('a', connector)
    await expect(pool.connect('a', live())).rejects.toMatchObject({ code: 'KX_CONNECT_REFUSED' })
    const connection = await pool.connect('a', live())
    seen.line.alive = false
    await connection.exec('after', io())
    expect(seen).toMatchObject({ dialled: 3, commands: ['after'] })
  })

  it('lets one who waits give up without hanging up on the others', async () => {
    const { seen, connector } = machine()
    await using pool = new ConnectionPool()
    pool.add('a', connector)
    const stop = new AbortController()
    const [leaving, staying] = [pool.connect('a', stop.signal), pool.connect('a', live())]
    stop.abort(new Error('gone'))
    await expect(leaving).rejects.toThrow('gone')
    await staying
    expect(seen.dialled).toBe(1)
  })

  it('dials under its limit and tells every outcome', async () => {
    let [now, most] = [0, 0]
    await using pool = new ConnectionPool({ connectsAtOnce: 3 })
    for (let i = 0; i < 12; i++) {
      const { connector } = machine({ failFirst: i === 7 ? 1 : 0 })
      pool.add(`h${i}`, {
        kind: 'simulated',
        connect: async (signal) => {
          most = Math.max(most, ++now)
          try {
            return await connector.connect(signal)
          } finally {
            now--
          }
        },
      })
    }
    const outcomes = await pool.connectAll(live())
    expect(most).toBe(3)
    expect([...outcomes].filter(([, outcome]) => outcome.status === 'rejected').map(([host]) => host)).toEqual(['h7'])
  })

  it('is of no use once closed', async () => {
    const pool = new ConnectionPool()
    pool.add('a', machine().connector)
    const connection = await pool.connect('a', live())
    await pool[Symbol.asyncDispose]()
    await expect(connection.exec('x', io())).rejects.toThrow('closed')
  })
})
