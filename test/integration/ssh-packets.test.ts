// The packets of an upload share their memory with those of other uploads: what arrives must be what was sent, byte for byte.
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sshConnector } from '../../src/connector/index.ts'
import { createRunner, sh } from '../../src/runner/index.ts'
import { patient } from '../support/ssh-exec.ts'
import { startSshd } from '../support/sshd.ts'

it('brings six files at once over three connections whose keys change all the time', { timeout: 120_000 }, async () => {
  // A server that wants new keys every 4 MB: ciphers come and go in the middle of an upload.
  await using sshd = await startSshd({ config: 'RekeyLimit 4M' })
  const connections = await Promise.all([1, 2, 3].map(() => sshConnector(sshd.options()).connect(patient())))
  const files = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (n) => {
      const content = randomBytes(20_000_000 + n)
      const local = join(sshd.directory, `file${n}`)
      await writeFile(local, content)
      return { local, path: `/var/tmp/kx-packets/${n}`, sha256: createHash('sha256').update(content).digest('hex') }
    }),
  )
  const runners = connections.map((connection) => createRunner({ host: 'box', connection }))
  const on = (i: number) => runners[i % runners.length] ?? expect.unreachable()
  for (const round of [1, 2]) {
    await Promise.all(files.map(({ local, path, sha256 }, i) => on(i).files.upload(local, `${path}-${round}`, { mode: '0600', sha256 })))
    // Asked of the file itself: what kubexm has noted about it is not what is to be proven.
    const { stdout } = await on(0).run(sh`sha256sum ${files.map(({ path }) => `${path}-${round}`)}`)
    expect(stdout.match(/^[0-9a-f]{64}/gm)).toEqual(files.map(({ sha256 }) => sha256))
  }
  expect(sshd.log()).not.toMatch(/corrupted|Bad packet|disconnect from .* message authentication/i)
  await Promise.all(connections.map((connection) => connection[Symbol.asyncDispose]()))
})
