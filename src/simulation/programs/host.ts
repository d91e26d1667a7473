import type { Output } from '../../runner/index.ts'
import { listNames } from '../files.ts'
import { applySetting, hasModule, linesOf, loadModule, setSysctl, sysctlOf, unloadModule } from '../kernel.ts'
import { complains, type ProgramContext, type ProgramModel, type ProgramTable, says } from '../program.ts'
import { type HostState, processesOf, withKey } from '../state.ts'
import { setHostname, setSelinux, setTimezone, swapAtBoot, swapOff, swapOn, timezoneOf } from '../system.ts'
import { entryAt } from '../tree.ts'
import { findProgram, whyNotExecutable } from '../unit-process.ts'
import { addGroup, addUser, removeGroup, removeUser } from '../users.ts'
import { words } from './words.ts'

const sysctl: ProgramModel = (argv, ctx) => {
  const { flags, operands, values } = words(argv, ['-p'])
  const file = values.get('-p')
  if (flags.has('--system') || file !== undefined) {
    const files = file === undefined ? listNames(ctx.state, '/etc/sysctl.d').map((name) => `/etc/sysctl.d/${name}`) : [file]
    for (const line of files.flatMap((path) => linesOf(ctx.state, path))) ctx.state = applySetting(ctx.state, line)
    return says()
  }
  let text = ''
  for (const word of operands) {
    const equals = word.indexOf('=')
    const key = equals < 0 ? word : word.slice(0, equals)
    if (equals >= 0) ctx.state = setSysctl(ctx.state, key, word.slice(equals + 1))
    const value = sysctlOf(ctx.state, key)?.value
    if (value === undefined) return complains(`sysctl: cannot stat /proc/sys/${key.replaceAll('.', '/')}: No such file or directory`)
    text += flags.has('-n') ? `${value}\n` : `${key} = ${value}\n`
  }
  return says(text)
}

const modprobe: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  for (const name of operands) {
    const next = flags.has('-r') ? unloadModule(ctx.state, name) : loadModule(ctx.state, name)
    // With -n it only tries whether it would work.
    if (!flags.has('-n')) ctx.state = next
  }
  return says()
}

const lsmod: ProgramModel = (_argv, { state }) =>
  says(['Module Size Used by', ...[...state.modules].filter((name) => hasModule(state, name))].map((line) => `${line}\n`).join(''))

const swaponProgram: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  if (flags.has('--show')) return says(ctx.state.swap.map((area) => `${area}\n`).join(''))
  const areas = flags.has('-a') ? swapAtBoot(ctx.state).filter((area) => !ctx.state.swap.includes(area)) : operands
  ctx.state = swapOn(ctx.state, areas)
  return says()
}

const swapoffProgram: ProgramModel = (argv, ctx) => {
  const { flags, operands } = words(argv)
  ctx.state = flags.has('-a') ? swapOff(ctx.state) : { ...ctx.state, swap: ctx.state.swap.filter((area) => !operands.includes(area)) }
  return says()
}

const id: ProgramModel = (argv, { state }) => {
  const { flags, operands } = words(argv)
  const name = operands[0] ?? 'root'
  const user = state.users.get(name)
  if (user === undefined) return complains(`id: '${name}': no such user`)
  if (flags.has('-n')) return says(`${name}\n`)
  return says(flags.has('-u') ? `${user.uid}\n` : flags.has('-g') ? `${user.gid}\n` : `uid=${user.uid}(${name}) gid=${user.gid}\n`)
}

const getent: ProgramModel = (argv, { state }) => {
  const [, database = '', name = ''] = argv
  const user = state.users.get(name)
  const gid = state.groups.get(name)
  if (database === 'passwd' && user !== undefined) return says(`${name}:x:${user.uid}:${user.gid}::${user.home}:${user.shell}\n`)
  if (database === 'group' && gid !== undefined) return says(`${name}:x:${gid}:\n`)
  return { code: 2, stdout: '', stderr: '' }
}

const useradd: ProgramModel = (argv, ctx) => {
  const { flags, values, operands } = words(argv, ['-d', '-s', '-g', '--home-dir', '--shell', '--gid'])
  const [home, shell, group] = [
    values.get('-d') ?? values.get('--home-dir'),
    values.get('-s') ?? values.get('--shell'),
    values.get('-g') ?? values.get('--gid'),
  ]
  ctx.state = addUser(ctx.state, {
    name: operands[0] ?? '',
    system: flags.has('-r') || flags.has('--system'),
    ...(home === undefined ? {} : { home }),
    ...(shell === undefined ? {} : { shell }),
    ...(group === undefined ? {} : { group }),
  })
  return says()
}

const uname: ProgramModel = (argv, { state }) => {
  const { flags } = words(argv)
  const machine = { amd64: 'x86_64', arm64: 'aarch64' }[state.machine.arch] ?? state.machine.arch
  if (flags.has('-r')) return says(`${state.machine.os.kernel}\n`)
  if (flags.has('-m')) return says(`${machine}\n`)
  if (flags.has('-n')) return says(`${state.hostname}\n`)
  return says(flags.has('-a') ? `Linux ${state.hostname} ${state.machine.os.kernel} ${machine} GNU/Linux\n` : 'Linux\n')
}

const hostname: ProgramModel = (argv, ctx) => {
  const [name] = words(argv).operands
  if (name !== undefined) ctx.state = { ...ctx.state, hostname: name }
  return name === undefined ? says(`${ctx.state.hostname}\n`) : says()
}

const hostnamectl: ProgramModel = (argv, ctx) => {
  const [verb, name = ''] = words(argv).operands
  if (verb === 'set-hostname' || verb === 'hostname') ctx.state = setHostname(ctx.state, name)
  return says()
}

const timedatectl: ProgramModel = (argv, ctx) => {
  const [verb, zone = ''] = words(argv).operands
  if (verb === 'set-timezone') ctx.state = setTimezone(ctx.state, zone)
  return says(verb === 'show' ? `Timezone=${timezoneOf(ctx.state) ?? ''}\n` : '')
}

const setenforce: ProgramModel = (argv, ctx) => {
  ctx.state = setSelinux(ctx.state, argv[1] === '1' || argv[1]?.toLowerCase() === 'enforcing' ? 'enforcing' : 'permissive')
  return says()
}

const getenforce: ProgramModel = (_argv, { state }) =>
  state.selinux === 'absent'
    ? complains('sh: 1: getenforce: not found', 127)
    : says(`${state.selinux.replace(/^./, (letter) => letter.toUpperCase())}\n`)

const mount: ProgramModel = (argv, ctx) => {
  const { values, operands } = words(argv, ['-t', '-o'])
  const [source = '', path = ''] = operands
  if (operands.length === 0)
    return says([...ctx.state.mounts].map(([at, { source, type, options }]) => `${source} on ${at} type ${type} (${options})\n`).join(''))
  if (entryAt(ctx.state.root, path)?.type !== 'directory') return complains(`mount: ${path}: mount point does not exist.`, 32)
  ctx.state = {
    ...ctx.state,
    mounts: withKey(ctx.state.mounts, path, { source, type: values.get('-t') ?? 'ext4', options: values.get('-o') ?? 'rw,relatime' }),
  }
  return says()
}

const umount: ProgramModel = (argv, ctx) => {
  for (const path of words(argv).operands) {
    if (!ctx.state.mounts.has(path)) return complains(`umount: ${path}: not mounted.`, 32)
    ctx.state = { ...ctx.state, mounts: withKey(ctx.state.mounts, path, undefined) }
  }
  return says()
}

const ss: ProgramModel = (_argv, { state }) =>
  says(
    processesOf(state)
      .flatMap(({ listens, name, pid }) =>
        listens.map(
          ({ protocol, address, port }) => `${protocol} LISTEN 0 4096 ${address}:${port} 0.0.0.0:* users:(("${name}",pid=${pid},fd=3))\n`,
        ),
      )
      .join(''),
  )

const commandProgram: ProgramModel = (argv, ctx) => {
  if (argv[1] !== '-v') return ctx.call(argv.slice(1))
  const path = whyNotExecutable(ctx.state, argv[2] ?? '') === null ? findProgram(ctx.state, argv[2] ?? '') : null
  return path === null ? complains('', 127) : says(`${path}\n`)
}

const env: ProgramModel = (argv, ctx) => {
  const program = argv.findIndex((word, i) => i > 0 && !/^\w+=/.test(word))
  return program < 0 ? says() : ctx.call(argv.slice(program))
}

const timeout: ProgramModel = (argv, ctx) => {
  let at = 1
  while (argv[at]?.startsWith('-')) at += argv[at] === '-k' || argv[at] === '-s' ? 2 : 1
  return ctx.call(argv.slice(at + 1))
}

/** Programs about the host itself: kernel, users, names, mounts. */
export function registerHostPrograms(table: ProgramTable): void {
  const models: Readonly<Record<string, ProgramModel>> = {
    ...{
      sysctl,
      modprobe,
      lsmod,
      id,
      getent,
      useradd,
      uname,
      hostname,
      hostnamectl,
      timedatectl,
      setenforce,
      getenforce,
      mount,
      umount,
      ss,
      env,
      timeout,
    },
    swapon: swaponProgram,
    swapoff: swapoffProgram,
    nproc: (_argv, { state }) => says(`${state.machine.cpus}\n`),
    which: (argv, ctx) => commandProgram(['command', '-v', ...argv.slice(1)], ctx),
    userdel: (argv, ctx) => changes(ctx, removeUser(ctx.state, words(argv).operands[0] ?? '')),
    groupadd: (argv, ctx) => changes(ctx, addGroup(ctx.state, words(argv).operands[0] ?? '')),
    groupdel: (argv, ctx) => changes(ctx, removeGroup(ctx.state, words(argv).operands[0] ?? '')),
  }
  for (const [name, model] of Object.entries(models)) table.register(name, model, { needsFile: true })
  table.register('command', commandProgram)
}

function changes(ctx: ProgramContext, next: HostState): Output {
  ctx.state = next
  return says()
}
