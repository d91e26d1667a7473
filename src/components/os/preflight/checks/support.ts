import type { ClusterSpec } from '../../../../config/index.ts'
import { finding } from '../../../../event/index.ts'
import { defineCheck } from '../../../../step/index.ts'
import { seconds } from '../../../../util/time.ts'

/** What a config may say already and this version cannot do yet, with what it can do instead. */
function notYet({ network, kubernetes, registry }: ClusterSpec): readonly { readonly what: string; readonly instead: string }[] {
  const runtime = kubernetes.containerRuntime.type
  return [
    ...(network.plugin === 'flannel' || network.plugin === 'none'
      ? []
      : [{ what: `network.plugin: ${network.plugin}`, instead: 'network.plugin: flannel, or none and install it yourself' }]),
    ...(runtime === 'containerd' ? [] : [{ what: `containerRuntime.type: ${runtime}`, instead: 'containerRuntime.type: containerd' }]),
    ...(registry.type === 'harbor' ? [{ what: 'registry.type: harbor', instead: 'registry.type: registry' }] : []),
  ]
}

/** A config is judged by what it means; whether it can be done today is another question. */
export const supported = defineCheck({
  name: 'preflight.supported',
  title: 'Check that this version of kubexm can do what the config asks for',
  timeout: seconds(10),
  check: async ({ cluster }) => notYet(cluster.spec).map((missing) => finding('KX_NOT_YET', missing, 'error')),
})
