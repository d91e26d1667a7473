import { dedent } from '../../../util/dedent.ts'

/**
 * Rotation of logs that nobody else rotates: the kubelet looks after those of containers, the journal after those of services, and the
 * API server after its audit log, which is why only files named after a component are taken.
 */
export const logrotateFile = (): string => dedent`
  /var/log/kubernetes/kube*.log /var/log/etcd/*.log {
      daily
      maxsize 100M
      rotate 7
      compress
      delaycompress
      copytruncate
      missingok
      notifempty
  }
`
