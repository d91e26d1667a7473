import * as z from 'zod'
import { field, list } from '../../../config/primitives.ts'

const patch = z.strictObject({
  target: field(
    z.enum(['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubeletconfiguration']),
    'What is patched: the pod of a component, or the configuration of the kubelet.',
    'kube-apiserver',
  ),
  type: field(
    z.enum(['strategic', 'merge', 'json']).default('strategic'),
    'How the patch is read, as kubectl patch knows it.',
    'strategic',
  ),
  patch: field(z.json(), 'The patch itself.', { spec: { priorityClassName: 'system-node-critical' } }),
})

/** What a user may say about kubeadm. */
export const kubeadmConfig = {
  patches: field(list(patch), 'Patches of what kubeadm writes, in order.', [
    { target: 'kube-apiserver', patch: { spec: { priorityClassName: 'system-node-critical' } } },
  ]),
}
