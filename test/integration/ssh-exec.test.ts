import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Connection, ConnectionPool, localConnector, sshConnector } from '../../src/connector/index.ts'
import { startCutProxy } from '../support/cut-proxy.ts'
import { patient, ran, refusal } from '../support/ssh-exec.ts'
import { startSshd, type TestSshd } from '../support/sshd.ts'

let sshd: TestSshd
let connection: Connection
beforeAll(async () => {
  sshd = await startSshd()
  connection = await sshConnector(sshd.options()).connect(patient())
})
afterAll(async () => {
  await connection[Symbol.asyncDispose]()
  await sshd[Symbol.asyncDispose]()
})

/** How many processes of the machine have this word on their command line. */
const running = async (word: string): Promise<number> => {
  const listed = await ran(
    await localConnector().connect(patient()),
    `grep -l -a '[${word[0]}]${word.slice(1)}' /proc/[0-9]*/cmdline 2>/dev/null | wc -l`,
  )
  return Number(listed.stdout)
}

describe('a command', () => {
  it('gets its input and gives output, errors and code apart, byte for byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 7) % 256))
    const out: Uint8Array[] = []
    const result = await connection.exec('cat; echo oops >&2; exit 3', {
      signal: patient(),
      stdin: bytes,
      onStdout: (chunk) => void out.push(chunk),
      onStderr: () => undefined,
    })
    expect(result).toEqual({ code: 3 })
    expect(Buffer.concat(out).equals(bytes)).toBe(true)
    expect(await ran(connection, 'kill -KILL $$')).toMatchObject({ signal: 'KILL' })
  })

  it('may be longer than an argument may be, and still has its own input', async () => {
    expect(await ran(connection, `: ${'x'.repeat(300_000)}\ncat`, { stdin: 'mine' })).toMatchObject({ code: 0, stdout: 'mine' })
  })

  // Only the shells this machine has can be tried; sh and bash always are.
  it.each(['/bin/bash', '/bin/sh', '/usr/bin/fish', '/usr/bin/tcsh', '/usr/bin/zsh'].filter(existsSync))(
    'is the same under the login shell %s',
    async (shell) => {
      const user = `kxtest-${shell.split('/').at(-1)}`
      expect(await ran(connection, `useradd -m -s ${shell} ${user} && passwd -d ${user} >/dev/null`)).toMatchObject({ code: 0 })
      await using own = await sshConnector(sshd.options({ target: { ...sshd.options().target, user } })).connect(patient())
      const hostile = `a'b"c\\d\\\\e$HOME!!\`x\`\n#;é%s`
      expect((await ran(own, `printf %s '${hostile.replaceAll("'", `'\\''`)}'`)).stdout).toBe(hostile)
    },
  )

  it('is not disturbed by start-up files that print and are slow', async () => {
    const profile = join(sshd.directory, '.bashrc')
    writeFileSync(profile, 'echo welcome; echo "last login" >&2; sleep 0.3; printf "no newline"\n')
    try {
      expect(await ran(connection, 'echo mine; echo own >&2')).toMatchObject({ code: 0, stdout: 'mine\n', stderr: 'own\n' })
    } finally {
      rmSync(profile)
    }
  })

  it('that leaves a child behind ends all the same', async () => {
    const began = Date.now()
    expect(await ran(connection, 'sleep 20.0077 & echo done')).toMatchObject({ code: 0, stdout: 'done\n' })
    expect(Date.now() - began).toBeLessThan(10_000)
  })

  it('that hangs is ended on the host as well, with all its children', async () => {
    const stop = AbortSignal.timeout(300)
    await expect(
      ran(connection, `trap '' TERM; sleep 31.4159 & (sleep 31.4159; :) & sleep 31.4159; echo`, { signal: stop }),
    ).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await running('31.4159')).toBe(0)
    expect((await ran(connection, 'echo alive')).stdout).toBe('alive\n')
  })

  it('is killed when whoever reads its output fails', async () => {
    const failure = new Error('disk full')
    const work = connection.exec('echo x; sleep 27.1828', {
      signal: patient(),
      onStderr: () => undefined,
      onStdout: () => {
        throw failure
      },
    })
    await expect(work).rejects.toBe(failure)
    expect(await running('27.1828')).toBe(0)
  })
})

describe('many commands', () => {
  it('200 at once on one connection of a server that allows 10 sessions', async () => {
    const all = await Promise.all(Array.from({ length: 200 }, (_, i) => ran(connection, `echo ${i}; cat`, { stdin: `in${i}` })))
    expect(all.map((one) => one.stdout)).toEqual(Array.from({ length: 200 }, (_, i) => `${i}\nin${i}`))
  })

  it('as many hanging ones as there are sessions can all be ended', async () => {
    const stop = AbortSignal.timeout(1500)
    const outcomes = await Promise.allSettled(Array.from({ length: 15 }, () => ran(connection, 'sleep 16.1803', { signal: stop })))
    expect(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason === stop.reason)).toBe(true)
    expect(await running('16.1803')).toBe(0)
  })

  it('on a server with one session a hanging command is ended over a second connection; with none it is said', async () => {
    await using narrow = await startSshd({ config: 'MaxSessions 1' })
    await using one = await sshConnector(narrow.options()).connect(patient())
    const stop = AbortSignal.timeout(300)
    await expect(ran(one, 'sleep 14.1421', { signal: stop })).rejects.toMatchObject({ name: 'TimeoutError' })
    expect(await running('14.1421')).toBe(0)
    await using shut = await startSshd({ config: 'MaxSessions 0' })
    await using mute = await sshConnector(shut.options()).connect(patient())
    expect(await refusal(ran(mute, 'true'))).toMatchObject({ code: 'KX_CHANNEL_LIMIT', retryable: true })
  })

  it('100 MB of output do not grow memory', async () => {
    await ran(connection, 'head -c 20000000 /dev/zero', { onStdout: () => undefined })
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let most = 0
    let bytes = 0
    await connection.exec('yes 0123456789abcde | head -c 100000000', {
      signal: patient(),
      onStderr: () => undefined,
      onStdout: (chunk) => {
        bytes += chunk.length
        most = Math.max(most, process.memoryUsage().rss)
      },
    })
    expect(bytes).toBe(100_000_000)
    expect((most - before) / 1e6).toBeLessThan(60)
  })
})

describe('a connection', () => {
  it('that is cut in the middle of a command is lost, may be tried again, and the pool connects anew', async () => {
    await using proxy = await startCutProxy(sshd.port)
    await using pool = new ConnectionPool()
    pool.add('one', sshConnector(sshd.options({ target: { ...sshd.options().target, port: proxy.port } })))
    const warm = await pool.connect('one', patient())
    const hanging = refusal(ran(warm, 'sleep 5'))
    await sleep(200)
    proxy.cut()
    expect(await hanging).toMatchObject({ code: 'KX_CONNECTION_LOST', retryable: true })
    expect((await ran(warm, 'echo again')).stdout).toBe('again\n')
    expect(warm.root).toBe(true)
  })

  it('that goes silent is noticed by the keepalive', async () => {
    await using proxy = await startCutProxy(sshd.port)
    await using quiet = await sshConnector(
      sshd.options({ target: { ...sshd.options().target, port: proxy.port }, keepalive: 100 }),
    ).connect(patient())
    const hanging = refusal(ran(quiet, 'sleep 20'))
    await sleep(100)
    proxy.stall()
    expect(await hanging).toMatchObject({ code: 'KX_CONNECTION_LOST' })
  })

  it('is shared by all who use a host, dials under a limit, and tells of each host that cannot be reached', async () => {
    await using pool = new ConnectionPool({ connectsAtOnce: 2 })
    for (const host of ['a', 'b', 'c']) pool.add(host, sshConnector(sshd.options()))
    pool.add('gone', sshConnector(sshd.options({ target: { ...sshd.options().target, port: 1 } })))
    const from = sshd.log().length
    const outcomes = await pool.connectAll(patient())
    // A command each: the server has written its log by the time it answers one.
    await Promise.all(['a', 'b', 'c'].map(async (host) => ran(await pool.connect(host, patient()), 'true')))
    expect([...outcomes].map(([host, outcome]) => [host, outcome.status])).toEqual([
      ['a', 'fulfilled'],
      ['b', 'fulfilled'],
      ['c', 'fulfilled'],
      ['gone', 'rejected'],
    ])
    expect(
      sshd
        .log()
        .slice(from)
        .match(/Accepted publickey/g),
    ).toHaveLength(3)
  })
})
