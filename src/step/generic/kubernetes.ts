import { type Command, type CommandState, sh } from '../../runner/index.ts'
import { sha256 } from '../../util/hash.ts'
import { defineOp, type Kind, type Op } from '../op.ts'

/** kubectl with the administrator's kubeconfig on a master. */
export const kubectl = (...words: readonly string[]): Command => sh`kubectl --kubeconfig=/etc/kubernetes/admin.conf ${words}`

/** A manifest we applied is known by a ConfigMap with its hash: the live objects carry defaults and cannot be compared. */
const appliedMark = (name: string): readonly string[] => ['--namespace=kube-system', 'configmap', `kubexm-applied-${name}`]

type ManifestBefore = { readonly hash: string | null; readonly path: string }

const manifestKind: Kind<ManifestBefore> = {
  name: 'manifest',
  probe: (name) => ({ kind: 'command', command: kubectl('get', ...appliedMark(name), '--output=jsonpath={.data.sha256}') }),
  undo: async (on, name, before) => {
    if (before.hash !== null) return
    await on.run(kubectl('delete', '--ignore-not-found', '--wait=true', `--filename=${before.path}`))
    await on.run(kubectl('delete', '--ignore-not-found', ...appliedMark(name)))
  },
  isBack: (before, now) => before.hash !== null || (now as CommandState).code !== 0,
}

/** Applies a manifest that lies on this host; its objects are deleted with the cluster or on rollback. */
export function kubectlApply(manifest: { readonly name: string; readonly path: string; readonly yaml: string }): Op {
  const hash = sha256(manifest.yaml)
  const known = (state: CommandState): string | null => (state.code === 0 && state.stdout.trim() !== '' ? state.stdout.trim() : null)
  return defineOp({
    kind: manifestKind,
    id: manifest.name,
    does: `apply the ${manifest.name} manifest`,
    probe: { kind: 'command', command: kubectl('get', ...appliedMark(manifest.name), '--output=jsonpath={.data.sha256}') },
    desired: { sha256: hash },
    isDone: (state) => known(state) === hash,
    capture: (state) => ({ hash: known(state), path: manifest.path }),
    apply: async (on) => {
      await on.run(kubectl('apply', '--server-side', '--force-conflicts', '--field-manager=kubexm', `--filename=${manifest.path}`))
      const [namespace, , mark] = appliedMark(manifest.name)
      await on.run(
        sh`kubectl --kubeconfig=/etc/kubernetes/admin.conf ${namespace ?? ''} create configmap ${mark ?? ''} --from-literal=sha256=${hash} --dry-run=client --output=yaml | kubectl --kubeconfig=/etc/kubernetes/admin.conf apply --filename=-`,
      )
    },
  })
}

type ImageBefore = { readonly present: boolean }

const imageKind: Kind<ImageBefore> = {
  name: 'image',
  probe: (ref) => ({ kind: 'command', command: sh`ctr --namespace=k8s.io images ls --quiet name==${ref}` }),
  undo: async (on, ref, before) => {
    if (!before.present) await on.run(sh`ctr --namespace=k8s.io images rm ${ref}`, { ok: 'any' })
  },
  isBack: (before, now) => before.present || !hasImage(now as CommandState),
  // Images go with the runtime's data directory; where the runtime is down already there is nothing to ask.
  mayStay: true,
}

/** The list was asked for one name only, so any line is that image. */
const hasImage = (state: CommandState): boolean => state.code === 0 && state.stdout.trim() !== ''

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
    probe: { kind: 'command', command: sh`ctr --namespace=k8s.io images ls --quiet name==${ref}` },
    isDone: hasImage,
    capture: (state) => ({ present: hasImage(state) }),
    apply: async (on) => {
      await on.run(command)
    },
  })

export const kubernetesKinds: readonly Kind<never>[] = [manifestKind, imageKind]
