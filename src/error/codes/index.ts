import { apiCodes } from './api.ts'
import { configCodes } from './config.ts'
import { connectionCodes } from './connection.ts'
import { engineCodes } from './engine.ts'
import { etcdCodes } from './etcd.ts'
import { hostCodes } from './host.ts'
import { kubeadmCodes } from './kubeadm.ts'
import { kubernetesCodes } from './kubernetes.ts'
import { labCodes } from './lab.ts'
import { loadBalancerCodes } from './load-balancer.ts'
import { pkiCodes } from './pki.ts'
import { preflightCodes } from './preflight.ts'
import { resourceCodes } from './resource.ts'
import { sinkCodes } from './sink.ts'
import { storeCodes } from './store.ts'

/** Every error kubexm can report, by code. `docs/errors.md` is made from this table. */
export const codes = {
  ...apiCodes,
  ...engineCodes,
  ...configCodes,
  ...connectionCodes,
  ...etcdCodes,
  ...hostCodes,
  ...kubeadmCodes,
  ...kubernetesCodes,
  ...labCodes,
  ...loadBalancerCodes,
  ...pkiCodes,
  ...preflightCodes,
  ...resourceCodes,
  ...sinkCodes,
  ...storeCodes,
}
