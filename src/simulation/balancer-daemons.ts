import { Content } from './content.ts'
import { flag, tcp } from './daemon.ts'
import { listNames, readText, writeFile } from './files.ts'
import type { DaemonModel, HostState, Listening } from './state.ts'
import { entryAt } from './tree.ts'

/** `*:6443`, `:::6443`, `[::]:6443`, `127.0.0.1:6443` and, as nginx has it, `80`. */
function placeOf(text: string): Listening {
  const colon = text.lastIndexOf(':')
  const address = colon < 0 ? '' : text.slice(0, colon).replace(/^\[|\]$/g, '')
  return tcp(Number(text.slice(colon + 1)), address === '' || address === '*' ? '0.0.0.0' : address)
}

const placesIn = (text: string, pattern: RegExp): readonly Listening[] =>
  [...text.matchAll(pattern)].map(([, place = '']) => placeOf(place))

/** A configuration whose brackets do not match is refused as a whole. */
const isClosed = (text: string): boolean => text.split('{').length === text.split('}').length

/** haproxy listens where it is told, if the users and sections it is told of are there. */
export const haproxyDaemon: DaemonModel = ({ argv, state }) => {
  const at = argv.indexOf('-f')
  const path = at < 0 ? '/etc/haproxy/haproxy.cfg' : (argv[at + 1] ?? '')
  const text = readText(state, path)
  if (text === null) return { dies: `[ALERT] Could not open configuration file ${path} : No such file or directory` }
  const user = /^\s*user\s+(\S+)/m.exec(text)?.[1]
  if (user !== undefined && !state.users.has(user)) return { dies: `[ALERT] config : cannot find user id for '${user}' (0:Success)` }
  const backend = /^\s*default_backend\s+(\S+)/m.exec(text)?.[1]
  if (backend !== undefined && !new RegExp(`^backend\\s+${backend}\\s*$`, 'm').test(text))
    return { dies: `[ALERT] config : proxy: unable to find required default_backend: '${backend}'.` }
  // Debian's unit puts the socket of the journal into the home of haproxy; the place for it is made on the disk and stays.
  const log = '/var/lib/haproxy/dev/log'
  const ready = entryAt(state.root, '/var/lib/haproxy/dev') === null ? state : writeFile(state, log, new Content(''), { mode: '0444' })
  return { listens: placesIn(text, /^\s*bind\s+(\S+)/gm), state: ready }
}

/** nginx reads what it includes, needs the modules its directives come from, and opens its log before anything else. */
export const nginxDaemon: DaemonModel = ({ argv, state }) => {
  const at = argv.indexOf('-c')
  const path = at < 0 ? '/etc/nginx/nginx.conf' : (argv[at + 1] ?? '')
  const own = readText(state, path)
  if (own === null) return { dies: `nginx: [emerg] open() "${path}" failed (2: No such file or directory)` }
  const text = withIncludes(state, own)
  if (!isClosed(text)) return { dies: `nginx: [emerg] unexpected end of file, expecting "}" in ${path}` }
  if (/^\s*stream\s*\{/m.test(text) && !text.includes('ngx_stream_module.so'))
    return { dies: `nginx: [emerg] unknown directive "stream" in ${path}` }
  const user = /^\s*user\s+(\w[\w-]*)/m.exec(text)?.[1]
  if (user !== undefined && !state.users.has(user)) return { dies: `nginx: [emerg] getpwnam("${user}") failed in ${path}` }
  const logs = '/var/log/nginx'
  const ready = entryAt(state.root, logs) === null ? state : writeFile(state, `${logs}/error.log`, new Content(''), { mode: '0640' })
  return { listens: placesIn(text, /^\s*listen\s+([^\s;]+)/gm), state: ready }
}

/** Files named by a pattern need not be there; how deep they include each other does not matter here. */
function withIncludes(state: HostState, text: string): string {
  return text.replace(/^\s*include\s+([^;]+);/gm, (_, pattern: string) => {
    const directory = pattern.slice(0, pattern.lastIndexOf('/'))
    const wanted = new RegExp(
      `^${pattern
        .slice(directory.length + 1)
        .replaceAll('.', '\\.')
        .replaceAll('*', '.*')}$`,
    )
    const names = listNames(state, directory).filter((name) => wanted.test(name))
    return names.map((name) => withIncludes(state, readText(state, `${directory}/${name}`) ?? '')).join('\n')
  })
}

/** keepalived needs its file, and checks what it is told to run. */
export const keepalivedDaemon: DaemonModel = ({ argv, state }) => {
  const path = flag(argv, 'use-file') ?? '/etc/keepalived/keepalived.conf'
  const text = readText(state, path)
  if (text === null) return { dies: `Unable to find configuration file ${path}` }
  if (!isClosed(text)) return { dies: `(${path}: Line 1) Missing '}' at end of file` }
  const user = /^\s*script_user\s+(\S+)/m.exec(text)?.[1]
  if (user !== undefined && !state.users.has(user)) return { dies: `Unable to resolve script_user "${user}" - ignoring scripts` }
  const script = /^\s*script\s+"([^"\s]+)/m.exec(text)?.[1]
  const entry = script === undefined ? null : entryAt(state.root, script)
  if (script !== undefined && (entry?.type !== 'file' || (Number.parseInt(entry.mode, 8) & 0o111) === 0))
    return { dies: `WARNING - script ${script} is not executable or does not exist - disabling` }
  return { listens: [] }
}
