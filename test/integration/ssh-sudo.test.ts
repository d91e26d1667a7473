import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Connection, sshConnector } from '../../src/connector/index.ts'
import { createRunner, type Runner, sh } from '../../src/runner/index.ts'
import { Secret } from '../../src/util/secret.ts'
import { patient, ran, refusal } from '../support/ssh-exec.ts'
import { startSshd, type TestSshd } from '../support/sshd.ts'

const password = new Secret("s'3cr et$")
const users = {
  'kxtest-free': 'kxtest-free ALL=(ALL) NOPASSWD:ALL',
  'kxtest-pass': 'kxtest-pass ALL=(ALL) ALL',
  'kxtest-tty': 'Defaults:kxtest-tty requiretty\nkxtest-tty ALL=(ALL) NOPASSWD:ALL',
  'kxtest-both': 'Defaults:kxtest-both requiretty\nkxtest-both ALL=(ALL) ALL',
  'kxtest-pty': 'Defaults:kxtest-pty use_pty\nkxtest-pty ALL=(ALL) ALL',
  'kxtest-none': '',
} as const
type User = keyof typeof users

let sshd: TestSshd
let root: Connection
const open: Connection[] = []
beforeAll(async () => {
  sshd = await startSshd()
  root = await sshConnector(sshd.options()).connect(patient())
  for (const [user, rule] of Object.entries(users)) {
    const made = await ran(root, `useradd -m -s /bin/bash ${user} && chpasswd && cat > /etc/sudoers.d/${user} <<'end'\n${rule}\nend`, {
      stdin: `${user}:${password.reveal()}\n`,
    })
    expect(made).toMatchObject({ code: 0 })
  }
})
afterAll(async () => {
  for (const connection of [...open, root]) await connection[Symbol.asyncDispose]()
  await sshd[Symbol.asyncDispose]()
})

const as = async (user: User, sudo: { readonly password?: Secret } | 'none' = {}): Promise<Runner> => {
  const connection = await sshConnector(sshd.options({ target: { ...sshd.options().target, user } })).connect(patient())
  open.push(connection)
  expect(connection.root).toBe(false)
  return createRunner({ host: user, connection, sudo })
}

describe('root is reached', () => {
  it.each([
    ['kxtest-free', {}],
    ['kxtest-free', { password }],
    ['kxtest-pass', { password }],
    ['kxtest-tty', {}],
    ['kxtest-both', { password }],
    ['kxtest-pty', { password }],
  ] as const)('by %s with %o, input, output, errors and code intact', async (user, sudo) => {
    const on = await as(user, sudo)
    const input = Buffer.from(Array.from({ length: 3000 }, (_, i) => 32 + ((i * 7) % 90))).toString()
    const output = await on.run(sh`id -un; wc -c; printf '%s\n' ${"a'b\\c\nd"}; echo own >&2; exit 7`, { stdin: input, ok: [7] })
    expect(output).toEqual({ code: 7, stdout: "root\n3000\na'b\\c\nd\n", stderr: 'own\n' })
    await on.files.write(`/var/tmp/by-${user}`, new Secret(input), { mode: '0600' })
    expect(await on.files.read(`/var/tmp/by-${user}`)).toBe(input)
    const [state, script] = await on.inspect([
      { kind: 'file', path: `/var/tmp/by-${user}` },
      { kind: 'command', command: sh`cat; echo $#` },
    ])
    expect(state).toMatchObject({ owner: 'root:root', mode: '0600', size: 3000 })
    expect(script.stdout).toBe('0\n')
    expect((await on.facts()).user).toBe(user)
  })

  it('with long scripts too', async () => {
    const on = await as('kxtest-free')
    const probes = Array.from({ length: 1500 }, (_, i) => ({ kind: 'command', command: sh`echo ${`${i} ${'x'.repeat(60)}`}` }) as const)
    expect((await on.inspect(probes))[1499]?.stdout).toBe(`1499 ${'x'.repeat(60)}\n`)
  })

  it('and a hanging command of root is ended by the user who started it', async () => {
    for (const [user, sudo] of [
      ['kxtest-free', {}],
      ['kxtest-pass', { password }],
      ['kxtest-both', { password }],
    ] as const) {
      const on = (await as(user, sudo)).bind({ signal: AbortSignal.timeout(1000) })
      await expect(on.run(sh`sleep 17.3205`)).rejects.toMatchObject({ name: 'TimeoutError' })
      expect((await ran(root, `grep -l -a '[1]7.3205' /proc/[0-9]*/cmdline 2>/dev/null | wc -l`)).stdout.trim()).toBe('0')
    }
  })

  it('without the password or the commands on any command line or in the log of sudo', async () => {
    const on = await as('kxtest-pass', { password })
    await ran(root, `sed -i '1i Defaults logfile=/var/log/kxtest-sudo' /etc/sudoers`)
    const running = on.run(sh`sleep 1 # ${'token-in-command'}`)
    const lines = await ran(root, `sleep 0.6; cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' ' '`)
    await running
    const log = (await ran(root, 'cat /var/log/kxtest-sudo')).stdout
    expect(log).toContain('kxtest-pass')
    for (const text of [lines.stdout, log, sshd.log()]) expect(text).not.toContain(password.reveal())
    expect(log).not.toContain('token-in-command')
  })
})

describe('root is not reached', () => {
  it('without sudo rights', async () => {
    const error = await refusal((await as('kxtest-none', { password })).run(sh`true`))
    expect(error).toMatchObject({ code: 'KX_SUDO', where: { host: 'kxtest-none' }, params: { user: 'kxtest-none' } })
    expect(error.message).toMatch(/not in the sudoers/)
    expect(error.fix).toContain("echo 'kxtest-none ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/kubexm")
  })

  it('without the password sudo wants, and with a wrong one, which is given only once', async () => {
    expect((await refusal((await as('kxtest-pass')).run(sh`true`))).message).toMatch(/wants a password and none is given/)
    await ran(root, 'rm -f /var/log/kxtest-sudo')
    const error = await refusal((await as('kxtest-pass', { password: new Secret('wrong') })).run(sh`true`))
    expect(error).toMatchObject({ code: 'KX_SUDO' })
    expect(error.message).toMatch(/does not take the password/)
    expect((await ran(root, 'cat /var/log/kxtest-sudo')).stdout).not.toContain('3 incorrect')
  })

  it('where sudo is not installed', async () => {
    await ran(root, 'mv /usr/bin/sudo /usr/bin/sudo.away')
    try {
      expect((await refusal((await as('kxtest-free')).run(sh`true`))).message).toMatch(/sudo is not installed/)
    } finally {
      await ran(root, 'mv /usr/bin/sudo.away /usr/bin/sudo')
    }
  })

  it('nor wanted: with none, things are done with the rights of the login', async () => {
    const on = await as('kxtest-none', 'none')
    expect((await on.run(sh`id -un`)).stdout).toBe('kxtest-none\n')
    await on.files.write('/var/tmp/own', 'x', { mode: '0600' })
    expect(await on.inspect([{ kind: 'file', path: '/var/tmp/own' }])).toMatchObject([{ owner: 'kxtest-none:kxtest-none' }])
  })
})
