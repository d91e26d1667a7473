import { type Command, type CommandState, sh } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** kubectl with the administrator's kubeconfig on a master. */
export const kubectl = (...words: readonly string[]): Command => sh`kubectl --kubeconfig=/etc/kubernetes/admin.conf ${words}`

/** A manifest we applied is known by a ConfigMap with its hash: the live objects carry defaults and cannot be compared. */
const markOf = (name: string): string => `kubexm-applied-${name}`
const lookAt = (name: string): Command => kubectl('get', 'configmap', markOf(name), '--namespace=kube-system', '--output=json')

/** The hash of the manifest that was applied under this name, or null. */
function appliedHash({ code, stdout }: CommandState): string | null {
  if (code !== 0) return null
  const { data } = JSON.parse(stdout) as { readonly data?: { readonly sha256?: string } }
  return data?.sha256 ?? null
}

type ManifestBefore = { readonly hash: string | null; readonly path: string }

const manifestKind: Kind<ManifestBefore> = {
  name: 'manifest',
  probe: (name) => ({ kind: 'command', command: lookAt(name) }),
  undo: async (on, name, before) => {
    if (before.hash !== null) return
    await on.run(kubectl('delete', '--ignore-not-found', `--filename=${before.path}`))
    await on.run(kubectl('delete', 'configmap', markOf(name), '--namespace=kube-system', '--ignore-not-found'))
  },
  isBack: (before, now) => before.hash !== null || appliedHash(now as CommandState) === null,
}

/** Applies a manifest that lies on this host; its objects are deleted with the cluster or on rollback. */
export function kubectlApply(manifest: { readonly name: string; readonly path: string; readonly yaml: string }): Op {
  const hash = sha256(manifest.yaml)
  const mark = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: markOf(manifest.name), namespace: 'kube-system' },
    data: { sha256: hash },
  }
  return defineOp({
    kind: manifestKind,
    id: manifest.name,
    does: `apply the ${manifest.name} manifest`,
    probe: { kind: 'command', command: lookAt(manifest.name) },
    desired: { sha256: hash },
    isDone: (state) => appliedHash(state) === hash,
    capture: (state) => ({ hash: appliedHash(state), path: manifest.path }),
    apply: async (on) => {
      await on.run(kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=kubexm', `--filename=${manifest.path}`))
      // The mark comes last: a manifest that was only half applied is applied again.
      await on.run(kubectl('apply', '--filename=-'), { stdin: JSON.stringify(mark) })
    },
  })
}

type ImageBefore = { readonly present: boolean }

const imageKind: Kind<ImageBefore> = {
  name: 'image',
  // Where the runtime is down already there is nothing to ask: images go with its data directory.
  probe: () => null,
  undo: async (on, ref, before) => {
    if (!before.present) await on.run(sh`ctr --namespace=k8s.io images rm ${ref}`, { ok: 'any' })
  },
  isBack: () => true,
}

const hasImage = (state: CommandState, ref: string): boolean => state.code === 0 && state.stdout.split('\n').includes(ref)

/** Imports an image from an archive on the host into containerd. */
export const importImage = (image: { readonly ref: string; readonly archive: string }): Op =>
  imageOp(image.ref, `import image ${image.ref}`, sh`ctr --namespace=k8s.io images import --all-platforms=false ${image.archive}`)

/** Pulls an image through the container runtime, with its mirrors and credentials. */
export const pullImage = (ref: string): Op => imageOp(ref, `pull image ${ref}`, sh`crictl pull ${ref}`)

const imageOp = (ref: string, does: string, command: Command): Op =>
  defineOp({
    kind: imageKind,
    id: ref,
    does,
    transfer: true,
    probe: { kind: 'command', command: sh`ctr --namespace=k8s.io images ls -q name==${ref}` },
    isDone: (state) => hasImage(state, ref),
    capture: (state) => ({ present: hasImage(state, ref) }),
    apply: async (on) => {
      await on.run(command)
    },
  })

export const kubernetesKinds: readonly Kind<never>[] = [manifestKind, imageKind]
