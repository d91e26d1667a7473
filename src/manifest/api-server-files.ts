import type { ClusterSpec } from '../config/index.ts'
import type { Manifest } from './kubelet.ts'

/** The audit policy where the user writes none: who did what to what, without the contents; reading by the system's own is noise. */
export const defaultAuditPolicy: Manifest = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*', '/version', '/metrics'] },
    { level: 'None', users: ['system:kube-proxy'], verbs: ['watch'] },
    {
      level: 'None',
      resources: [
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: '', resources: ['events'] },
      ],
    },
    { level: 'None', userGroups: ['system:nodes'], verbs: ['get', 'list', 'watch'] },
    { level: 'Metadata' },
  ],
}

/** How resources are encrypted in etcd. Last comes `identity`: what was written before is still read, and encrypted when next written. */
export const encryptionConfiguration = (encryption: ClusterSpec['kubernetes']['apiServer']['encryption'], key: string): Manifest => ({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'EncryptionConfiguration',
  resources: [
    {
      resources: encryption.resources,
      providers: [{ [encryption.provider]: { keys: [{ name: 'key1', secret: key.trim() }] } }, { identity: {} }],
    },
  ],
})
