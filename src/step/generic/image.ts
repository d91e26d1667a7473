import { hostLayout } from '../../config/index.ts'
import { fail } from '../../error/index.ts'
import { all, type Command, type CommandState, hostPaths, type Probe, type Runner, sh } from '../../runner/index.ts'
import { lastLines } from '../../util/last-lines.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** The client that was installed with this containerd, about the images that the kubelet sees. */
const ctr = (...words: readonly string[]): Command => sh`${hostLayout.programs}/ctr --namespace=k8s.io images ${words}`

/** Which images there are. All ops of a step ask the same question, so it is put to the host once. */
const listed = { kind: 'command', command: ctr('ls', '-q') } as const satisfies Probe

const isListed = ({ code, stdout }: CommandState, image: string): boolean => code === 0 && stdout.split('\n').includes(image)

/** A full disk must not cost the kubelet an image that it has nowhere to get from again. */
const pinned = 'io.cri-containerd.pinned=pinned'

type ImageBefore = { readonly present: boolean }

const imageKind: Kind<ImageBefore> = {
  name: 'image',
  // Where the runtime is down already there is nothing to ask: images go with its data directory.
  probe: () => null,
  undo: async (on, image, before) => {
    if (!before.present) await on.run(ctr('rm', image), { ok: 'any' })
  },
  isBack: () => true,
}

/** Imports an image into containerd from an archive of this machine, which must hold it under this name. */
export function importImage({ image, from, sha256 }: { readonly image: string; readonly from: string; readonly sha256: string }): Op {
  // Among what kubexm keeps for itself, and by its hash: one that was cut off goes on with what has arrived.
  const arrived = `${hostPaths.root}/arriving/${sha256}.tar`
  return imageOp(image, `import image ${image}`, { transfer: true }, async (on) => {
    await on.files.upload(from, arrived, { mode: '0600', sha256 })
    // Not through containerd's transfer service, the default since 2.0: it takes an archive in pieces of 32 KiB, waiting after each second one.
    await on.run(all(ctr('import', '--local', arrived), ctr('label', image, pinned), sh`rm -f -- ${arrived}`))
  })
}

/** Pulls an image through the container runtime, with its mirrors and credentials. */
export const pullImage = (image: string): Op =>
  imageOp(image, `pull image ${image}`, {}, async (on) => {
    const { code, stdout, stderr } = await on.run(sh`${hostLayout.programs}/crictl pull ${image}`, { ok: 'any' })
    if (code !== 0) throw fail('KX_IMAGE_PULL', { image, why: reasonIn(stderr || stdout) }, { seen: lastLines(stderr || stdout) })
  })

/** The end of what crictl says: before it comes who called whom, and in older ones a quotation. */
const reasonIn = (said: string): string => (lastLines(said, 1).split('desc = ').at(-1) ?? '').replaceAll('\\"', '"').replace(/"$/, '')

const imageOp = (image: string, does: string, limits: Pick<Op, 'transfer'>, apply: (on: Runner) => Promise<void>): Op =>
  defineOp({
    kind: imageKind,
    id: image,
    does,
    ...limits,
    probe: listed,
    isDone: (state) => isListed(state, image),
    capture: (state) => ({ present: isListed(state, image) }),
    apply,
  })

export const imageKinds: readonly Kind<never>[] = [imageKind]
