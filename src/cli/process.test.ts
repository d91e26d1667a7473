import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'

it.each([
  ['thrown', "setImmediate(() => { throw new Error('the socket broke') })"],
  ['rejected', "setImmediate(() => { void Promise.reject(new Error('the socket broke')) })"],
])('what is %s where nobody waits for it is told as an error with its fix, and ends the process', (_, breaks) => {
  const program = `import { runProcess } from '${import.meta.dirname}/process.ts'
    setTimeout(() => undefined, 60_000)
    ${breaks}
    await runProcess(['version'])`
  const { status, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8', timeout: 20_000 })
  expect(stderr).toMatch(/KX_BUG.*the socket broke.*Fix: .*--resume/s)
  expect(stderr).not.toContain('node:internal')
  expect(status).toBe(1)
})
