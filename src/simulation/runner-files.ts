import { fail } from '../error/index.ts'
import type { FileAttributes, Files } from '../runner/index.ts'
import { Secret } from '../util/secret.ts'
import { extractMembers, type Member, membersOf } from './archive.ts'
import { fileError } from './as-error.ts'
import { setBlock } from './block.ts'
import { Content } from './content.ts'
import {
  appendText,
  copyPath,
  listNames,
  makeDirectory,
  makeLink,
  readText,
  removeEmptyParents,
  removePath,
  rewriteFile,
  setAttributes,
  writeFile,
} from './files.ts'
import type { Binding, HostAccess } from './host-access.ts'
import { Refusal } from './refusal.ts'
import type { HostState } from './state.ts'
import { entryAt } from './tree.ts'

const systemDirectories = new Set(
  '/ /bin /boot /dev /etc /home /lib /lib64 /opt /proc /root /run /sbin /srv /sys /tmp /usr /var /usr/bin /usr/lib /usr/local /usr/sbin /var/lib /var/log'.split(
    ' ',
  ),
)

/** What an error says was being done, as the real runner says it. */
const actions = {
  write: 'writing',
  upload: 'uploading',
  append: 'adding to',
  makeDirectory: 'making',
  link: 'linking',
  setAttributes: 'setting the attributes of',
  remove: 'removing',
  copy: 'copying',
  extract: 'unpacking',
  setBlock: 'changing',
  edit: 'changing',
} as const

/** Files of a simulated host. */
export class SimulatedFiles implements Files {
  readonly #host: HostAccess
  readonly #binding: Binding

  constructor(host: HostAccess, binding: Binding) {
    this.#host = host
    this.#binding = binding
  }

  read(path: string): Promise<string | null> {
    return this.#look('files.read', 'reading', path, (state) => readText(state, path))
  }

  list(path: string): Promise<readonly string[]> {
    return this.#look('files.list', 'listing', path, (state) => listNames(state, path))
  }

  async download(path: string, localPath: string): Promise<void> {
    const entry = await this.#look('files.download', 'downloading', path, (state) => entryAt(state.root, path))
    if (entry?.type !== 'file')
      throw fail('KX_FILE', { action: 'downloading', path, why: 'No such file or directory' }, { where: { host: this.#host.name } })
    await this.#host.localFiles.write(localPath, entry.content)
    this.#binding.scope.onProgress?.(entry.content.size, entry.content.size)
  }

  write(path: string, content: string | Secret, attributes: FileAttributes): Promise<void> {
    const data = new Content(content instanceof Secret ? content.reveal() : content)
    return this.#change('write', path, (state) => writeFile(state, path, data, attributes), data.size)
  }

  async upload(localPath: string, path: string, attributes: FileAttributes & { readonly sha256?: string }): Promise<void> {
    const content = await this.#host.localFiles.read(localPath)
    if (attributes.sha256 !== undefined && attributes.sha256 !== content.sha256)
      throw fail('KX_LOCAL_FILE', { path: localPath, why: `its hash is ${content.sha256}, expected ${attributes.sha256}` })
    const there = entryAt(this.#host.state.root, path, false)
    const same = there?.type === 'file' && there.content.sha256 === content.sha256
    await this.#change(
      'upload',
      path,
      (state) => (same ? setAttributes(state, path, { owner: 'root:root', ...attributes }) : writeFile(state, path, content, attributes)),
      same ? 0 : content.size,
    )
    this.#binding.scope.onProgress?.(content.size, content.size)
  }

  append(path: string, text: string): Promise<void> {
    return this.#change('append', path, (state) => appendText(state, path, text), text.length)
  }

  makeDirectory(path: string, attributes: FileAttributes): Promise<void> {
    return this.#change('makeDirectory', path, (state) => makeDirectory(state, path, attributes))
  }

  link(path: string, target: string): Promise<void> {
    return this.#change('link', path, (state) => makeLink(state, path, target))
  }

  setAttributes(path: string, attributes: FileAttributes): Promise<void> {
    return this.#change('setAttributes', path, (state) => setAttributes(state, path, { owner: 'root:root', ...attributes }))
  }

  async remove(path: string, options: { readonly recursive?: boolean; readonly upTo?: string } = {}): Promise<void> {
    // No caller ever means one of the directories every Linux is made of.
    if (systemDirectories.has(path.replace(/(.)\/+$/, '$1'))) throw fail('KX_BUG', { what: `"${path}" must not be removed` })
    await this.#change('remove', path, (state) => {
      const removed = removePath(state, path, options.recursive ?? false)
      return options.upTo === undefined ? removed : removeEmptyParents(removed, path, options.upTo)
    })
  }

  copy(from: string, to: string): Promise<void> {
    return this.#change('copy', to, (state) => copyPath(state, from, to))
  }

  async extract(
    archive: string,
    into: string,
    options: { readonly strip?: number; readonly members?: readonly string[] } = {},
  ): Promise<void> {
    const members = await this.#members(archive)
    await this.#change('extract', archive, (state) => {
      if (members instanceof Refusal) throw members
      const ready = entryAt(state.root, into) === null ? makeDirectory(state, into, { mode: '0755' }) : state
      return extractMembers(ready, members, into, options)
    })
  }

  async setBlock(path: string, block: { readonly begin: string; readonly end: string }, text: string | null): Promise<void> {
    // Like the real one: a block that is as it should be is looked at, not written.
    const asIs = await this.#look('files.setBlock', actions.setBlock, path, (state) => setBlock(state, path, block, text) === state)
    if (!asIs) await this.#change('setBlock', path, (state) => setBlock(state, path, block, text))
  }

  async edit(path: string, change: (content: string) => string): Promise<void> {
    const edited = (state: HostState): HostState => {
      const old = readText(state, path)
      if (old === null) return state
      const next = Buffer.from(change(Buffer.from(old).toString('latin1')), 'latin1').toString()
      return next === old ? state : rewriteFile(state, path, next)
    }
    const asIs = await this.#look('files.edit', actions.edit, path, (state) => edited(state) === state)
    if (!asIs) await this.#change('edit', path, edited)
  }

  /** Reading an archive takes turns of the event loop; what is wrong with it is said when the change is made, like any other refusal. */
  async #members(archive: string): Promise<readonly Member[] | Refusal> {
    const entry = entryAt(this.#host.state.root, archive)
    if (entry?.type !== 'file') return new Refusal(`tar: ${archive}: Cannot open: No such file or directory`, 2)
    try {
      return await membersOf(entry.content)
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown
      return new Refusal(`tar: ${thrown instanceof Error ? thrown.message : String(thrown)}`, 2)
    }
  }

  async #look<T>(what: string, action: string, path: string, answer: (state: HostState) => T): Promise<T> {
    try {
      return await this.#host.look({ what, target: path, bytes: 0 }, this.#binding, answer)
    } catch (thrown) {
      throw thrown instanceof Refusal ? fileError(action, path)(thrown, this.#host.name) : thrown
    }
  }

  #change(call: keyof typeof actions, path: string, make: (state: HostState) => HostState, bytes = 0): Promise<void> {
    return this.#host.change({ what: `files.${call}`, target: path, bytes }, this.#binding, fileError(actions[call], path), make)
  }
}
