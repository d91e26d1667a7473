import { hostLayout } from '../../config/index.ts'
import { type CommandState, hostPaths, lines, type Runner, sh } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** The names in directories before kubeadm wrote there, and whether the kubelet ran. */
type NodeBefore = { readonly kubelet: boolean; readonly kept: Readonly<Record<string, readonly string[]>> }

const kubelet = 'kubelet.service'
/** Says what a node was made with; written when it is made, or started. */
const mark = `${hostPaths.root}/kubeadm-node`
const started = 'started'

/** What kubeadm and the kubelet make is taken away by its place: nobody can foresee all of it, and it is nobody else's. */
const nodeKind: Kind<NodeBefore> = {
  name: 'kubeadm-node',
  // Whether a half-made node is gone only its absence can tell.
  probe: () => null,
  undo: async (on, _id, { kubelet: ran, kept }) => {
    if (!ran) {
      await on.services.stop(kubelet)
      // Pods outlive the kubelet. There were none before it ran, and there are none where the runtime is gone already.
      await on.run(sh`timeout 60 ${hostLayout.programs}/crictl rmp --all --force`, { ok: 'any' })
      await unmountBelow(on, hostLayout.kubelet)
    }
    await on.files.remove(mark)
    for (const [directory, names] of Object.entries(kept)) await removeOthers(on, directory, names)
  },
  isBack: () => true,
}

async function removeOthers(on: Runner, directory: string, kept: readonly string[]): Promise<void> {
  for (const name of await on.files.list(directory)) {
    if (!kept.includes(name)) await on.files.remove(`${directory}/${name}`, { recursive: true })
  }
}

/** What was in a directory before a program put its data there. */
type ContentsBefore = { readonly kept: readonly string[] }

const contentsKind: Kind<ContentsBefore> = {
  name: 'contents',
  probe: () => null,
  undo: (on, path, { kept }) => removeOthers(on, path, kept),
  isBack: () => true,
}

const namesIn = ({ stdout }: CommandState): readonly string[] => stdout.split('\n').filter((name) => name !== '')

/**
 * The data a program will keep in a directory, which may be a disk of its own and so have been there before. `sign` is the name that is
 * there once the program has run.
 */
export function programData({ path, sign }: { readonly path: string; readonly sign: string }): Op {
  return defineOp({
    kind: contentsKind,
    id: path,
    does: `keep data in ${path}`,
    data: true,
    probe: { kind: 'command', command: sh`ls -A1 -- ${path}` },
    isDone: (state) => namesIn(state).includes(sign),
    capture: (state) => ({ kept: namesIn(state) }),
    // Nothing but the note that what comes is ours.
    apply: (on) => on.files.makeDirectory(path, { mode: '0700' }),
  })
}

/** Volumes of pods are mounts, and a directory with one in it cannot be removed. Inner ones first. */
async function unmountBelow(on: Runner, directory: string): Promise<void> {
  const mounts = ((await on.files.read('/proc/mounts')) ?? '').split('\n').map((line) => line.split(' ')[1] ?? '')
  const below = mounts.filter((path) => path.startsWith(`${directory}/`)).sort((a, b) => b.length - a.length)
  for (const path of below) await on.run(sh`umount --lazy ${path}`, { ok: 'any' })
}

/** What there is of a node on a host. */
export interface FoundNode {
  /** What it was made with, once it was made. */
  readonly madeWith: string | null
  has(path: string): boolean
}

interface NodeOp {
  readonly does: string
  /** How far it is made: another op may go on from what is started. */
  readonly until: 'started' | 'whole'
  /** What it is made with: another value makes it anew. */
  readonly madeWith: string
  /** Where kubeadm and the kubelet write. The directories are there. */
  readonly directories: readonly string[]
  /** Files without which it is no node, whatever was written down. */
  readonly needs: readonly string[]
  /** What a file must say. */
  readonly says: readonly { readonly path: string; readonly text: string }[]
  /** Files that are there only while it is made. */
  readonly passing: readonly string[]
  readonly make: (on: Runner, ctx: StepContext, found: FoundNode) => Promise<void>
}

const separator = '=== kubexm ==='

/** Makes the host a node with kubeadm. Whatever kubeadm had begun before is found, and the way there is up to `make`. */
export function kubeadmNode({ does, until, madeWith, directories, needs, says, passing, make }: NodeOp): Op {
  const asked = [
    sh`cat -- ${mark}`,
    sh`systemctl is-active ${kubelet}`,
    ...directories.map((path) => sh`ls -A1 -- ${path}`),
    ...says.map(({ path, text }) => sh`grep -F -e ${text} -- ${path}`),
  ]
  const look = (state: CommandState): FoundNode & NodeBefore & { readonly started: boolean; readonly said: readonly string[] } => {
    const [written = '', active = '', ...lists] = state.stdout.split(`${separator}\n`).map((part) => part.trim())
    const kept = Object.fromEntries(directories.map((path, i) => [path, namesIn({ ...state, stdout: lists[i] ?? '' })]))
    return {
      started: written !== '',
      madeWith: written === '' || written === started ? null : written,
      has: (path) => directories.some((directory) => kept[directory]?.some((name) => `${directory}/${name}` === path)),
      kubelet: active === 'active' || active === 'activating',
      kept,
      said: lists.slice(directories.length),
    }
  }
  return defineOp({
    kind: nodeKind,
    id: hostLayout.kubernetes,
    does,
    probe: { kind: 'command', command: lines(...asked.flatMap((command, i) => (i === 0 ? [command] : [sh`echo ${separator}`, command]))) },
    desired: { madeWith },
    isDone: (state) => {
      const found = look(state)
      if (until === 'started') return found.started && needs.every(found.has)
      const isWhole = needs.every(found.has) && !passing.some(found.has) && says.every((_, i) => (found.said[i] ?? '') !== '')
      return isWhole && found.madeWith === madeWith
    },
    capture: (state) => {
      const { kubelet: ran, kept } = look(state)
      return { kubelet: ran, kept }
    },
    apply: async (on, ctx, state) => {
      await make(on, ctx, look(state))
      // Last: a node that was only half made is gone on with.
      await on.files.write(mark, `${until === 'whole' ? madeWith : started}\n`, { mode: '0600' })
    },
  })
}

export const kubeadmKinds: readonly Kind<never>[] = [nodeKind, contentsKind]
