import { hostLayout } from '../../config/index.ts'
import { type Command, type CommandState, hostPaths, nested, sh } from '../../runner/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { sha256 } from '../../util/hash.ts'
import { lastLines } from '../../util/last-lines.ts'
import { defineOp, type Kind, type Op } from '../op.ts'
import { writeFile } from './file.ts'

/**
 * kubectl with the administrator's kubeconfig on a master. By its path, since sudo may not search there, and with a cache of its own,
 * since it would leave one in somebody's home.
 */
export const kubectl = (...words: readonly string[]): Command =>
  sh`${hostLayout.programs}/kubectl --kubeconfig=${hostLayout.adminKubeconfig} --cache-dir=${hostPaths.root}/kubectl ${words}`

/** Null when the API server of this master is ready, else what was said instead. */
export async function apiServerNotReady({ on }: StepContext): Promise<string | null> {
  const { code, stdout, stderr } = await on.run(kubectl('get', '--raw=/readyz', '--request-timeout=5s'), { ok: 'any' })
  return code === 0 && stdout.trim() === 'ok' ? null : lastLines(`${stdout}${stderr}`, 1)
}

/** A manifest we applied is known by a ConfigMap with its hash: the live objects carry defaults and cannot be compared. */
const markOf = (name: string): string => `kubexm-applied-${name}`
const lookAt = (name: string): Command =>
  kubectl('get', 'configmap', markOf(name), '--namespace=kube-system', '--ignore-not-found', '--output=json', '--request-timeout=10s')

/** The hash of the manifest that was applied under this name, or null. */
function appliedHash({ code, stdout }: CommandState): string | null {
  if (code !== 0 || stdout === '') return null
  const { data } = JSON.parse(stdout) as { readonly data?: { readonly sha256?: string } }
  return data?.sha256 ?? null
}

type ManifestBefore = { readonly hash: string | null; readonly path: string }

const manifestKind: Kind<ManifestBefore> = {
  name: 'manifest',
  probe: (name) => ({ kind: 'command', command: lookAt(name) }),
  undo: async (on, name, before) => {
    if (before.hash !== null) return
    // Not waiting: pods of a node that is gone would be waited for without end. From a file that is not there nothing was applied.
    const remove = kubectl('delete', '--ignore-not-found', '--wait=false', `--filename=${before.path}`)
    await on.run(sh`test ! -e ${before.path} || ${nested(remove)}`)
    await on.run(kubectl('delete', 'configmap', markOf(name), '--namespace=kube-system', '--ignore-not-found'))
  },
  // Without an API server there is nothing to take back: the objects go with etcd. With one, a missing mark proves nothing: it comes last.
  isBack: (before, now) => before.hash !== null || (now as CommandState).code !== 0,
  mayStay: true,
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

/** Keeps a manifest on this host, for looking at and for taking its objects away again, and applies it. */
export function applyManifest(name: string, yaml: string): readonly Op[] {
  const path = `${hostLayout.addons}/${name}.yaml`
  return [writeFile({ path, content: yaml }), kubectlApply({ name, path, yaml })]
}

export const kubernetesKinds: readonly Kind<never>[] = [manifestKind]
