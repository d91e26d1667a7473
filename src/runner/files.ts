import { fail } from '../error/index.ts'
import { sha256 } from '../util/hash.ts'
import { Secret } from '../util/secret.ts'
import { type Marks, withBlock } from './block.ts'
import { quote as q } from './command.ts'
import {
  appendScript,
  copyScript,
  extractScript,
  linkScript,
  putScript,
  removeScript,
  replaceScript,
  setAttributesOf,
} from './file-scripts.ts'
import { absolute, fileFailure, type Hands } from './hands.ts'
import type { FileAttributes, FileReader, Files } from './runner.ts'
import { download, upload } from './transfer.ts'

// A text file that kubexm reads is a config or a manifest; anything larger is downloaded.
const longestText = 16 * 1024 * 1024
const attemptsAtEdit = 5

/** Asking about files. */
export const fileReader = (hands: Hands): FileReader => ({
  read: async (path) => (await content(hands, path))?.toString() ?? null,
  list: async (path) => {
    const answer = await hands.ask(`[ ! -d ${q(absolute(path))} ] || find ${q(path)}/ -mindepth 1 -maxdepth 1 -printf '%f\\0'`, {
      keep: longestText,
      orElse: fileFailure('listing', path),
    })
    return answer.stdout.toString().split('\0').slice(0, -1).sort()
  },
  download: async (path, localPath) => await download(hands, absolute(path), localPath),
})

/** Reading and changing files. */
export const files = (hands: Hands): Files => ({
  ...fileReader(hands),
  write: async (path, text, attributes) => {
    const bytes = Buffer.from(text instanceof Secret ? text.reveal() : text)
    await hands.change(putScript(absolute(path), bytes.length, setAttributesOf('"$t"', attributes)), {
      stdin: bytes,
      orElse: fileFailure('writing', path),
    })
  },
  upload: async (localPath, path, attributes) => await upload(hands, localPath, absolute(path), attributes),
  append: async (path, text) => {
    const bytes = Buffer.from(text)
    await hands.change(appendScript(absolute(path), bytes.length), { stdin: bytes, orElse: fileFailure('adding to', path) })
  },
  makeDirectory: async (path, attributes) => await makeDirectory(hands, absolute(path), attributes),
  link: async (path, target) => {
    await hands.change(linkScript(absolute(path), target), { orElse: fileFailure('linking', path) })
  },
  setAttributes: async (path, attributes) => {
    await hands.change(`set -e\n${setAttributesOf(q(absolute(path)), attributes)}`, {
      orElse: fileFailure('setting the attributes of', path),
    })
  },
  remove: async (path, options = {}) => {
    await hands.change(removeScript(removable(path), options.recursive === true, options.upTo), { orElse: fileFailure('removing', path) })
  },
  copy: async (from, to) => {
    await hands.change(copyScript(absolute(from), absolute(to)), { orElse: fileFailure('copying', from) })
  },
  extract: async (archive, into, options = {}) => {
    await hands.change(extractScript(absolute(archive), absolute(into), options.strip ?? 0, options.members ?? []), {
      orElse: (answer) => {
        const tool = answer.said.get('missing')
        return tool === undefined ? fileFailure('unpacking', archive)(answer) : fail('KX_TOOL_MISSING', { tool })
      },
    })
  },
  setBlock: async (path, marks, text) => await setBlock(hands, absolute(path), marks, text),
  edit: async (path, change) => await edit(hands, absolute(path), (old) => (old === null ? null : change(old))),
})

async function makeDirectory(hands: Hands, path: string, attributes: FileAttributes): Promise<void> {
  await hands.change(`set -e\nmkdir -p -- ${q(path)}\n${setAttributesOf(q(path), attributes)}`, { orElse: fileFailure('making', path) })
}

/** The bytes of a file, or null where there is none. */
async function content(hands: Hands, path: string): Promise<Buffer | null> {
  const answer = await hands.ask(`if [ -e ${q(absolute(path))} ]; then cat -- ${q(path)}; else printf '\\036kx:absent\\036\\n' >&2; fi`, {
    keep: longestText,
    orElse: fileFailure('reading', path),
  })
  if (answer.truncated) throw fail('KX_FILE', { action: 'reading', path, why: 'it is larger than 16 MiB' }, { where: { host: hands.host } })
  return answer.said.has('absent') ? null : answer.stdout
}

// Bytes as they are: the rest of the file may be in any encoding.
const latin1 = (part: string): string => Buffer.from(part).toString('latin1')

async function setBlock(hands: Hands, path: string, marks: Marks, text: string | null): Promise<void> {
  const own = { begin: latin1(marks.begin), end: latin1(marks.end) }
  const block = text === null ? null : latin1(text)
  await edit(hands, path, (old) => (old === null && block === null ? null : withBlock(old ?? '', own, block)))
}

/** Two round trips: the new content is made here, and put there only if the old one is still what was read. */
async function edit(hands: Hands, path: string, change: (old: string | null) => string | null): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const before = await content(hands, path)
    const old = before?.toString('latin1') ?? null
    const changed = change(old)
    if (changed === null || changed === old) return
    const next = Buffer.from(changed, 'latin1')
    const script =
      before === null
        ? putScript(path, next.length, setAttributesOf('"$t"', { mode: '0644' }))
        : replaceScript(path, next.length, sha256(before))
    const answer = await hands.change(script, { stdin: next })
    if (answer.code === 0) return
    if (!answer.said.has('moved') || attempt === attemptsAtEdit) throw fileFailure('changing', path)(answer).at({ host: hands.host })
  }
}

const untouchable = new Set([
  '',
  'bin',
  'boot',
  'dev',
  'etc',
  'home',
  'lib',
  'lib64',
  'opt',
  'proc',
  'root',
  'run',
  'sbin',
  'srv',
  'sys',
  'tmp',
  'usr',
  'var',
  'usr/bin',
  'usr/lib',
  'usr/local',
  'usr/sbin',
  'var/lib',
  'var/log',
])

/** A path that may be removed: never one of the directories every Linux is made of. */
function removable(path: string): string {
  const plain = absolute(path)
    .split('/')
    .filter((part) => part !== '' && part !== '.')
  if (plain.includes('..') || untouchable.has(plain.join('/'))) throw fail('KX_BUG', { what: `"${path}" must not be removed` })
  return path
}
