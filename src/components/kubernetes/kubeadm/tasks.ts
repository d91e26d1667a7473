import { mastersOf } from '../../../config/index.ts'
import { seq } from '../../../plan/index.ts'
import type { Host, PlanContext } from '../../../runtime/index.ts'
import { defineTask } from '../../../task/index.ts'
import {
  apiServerAnswers,
  configureKubeadm,
  initFirstMaster,
  installPrograms,
  joinCluster,
  placeKubeadmCertificates,
  prepareKubelet,
  startControlPlane,
  startsFirst,
} from './steps.ts'

const byKubeadm = ({ cluster }: PlanContext): boolean => cluster.spec.kubernetes.type === 'kubeadm'
const isNode = ({ roles }: Host): boolean => roles.includes('master') || roles.includes('worker')
const isFirst = ({ cluster }: PlanContext, { name }: Host): boolean => mastersOf(cluster)[0]?.name === name

/** Everything on every node that does not need the cluster: it can be done before there is one. */
export const installKubeadm = defineTask({
  name: 'kubeadm',
  description: 'Install kubeadm and the kubelet, and all they need, on every node',
  isRequired: byKubeadm,
  plan: (t) => t.on(t.hosts().filter(isNode), installPrograms, prepareKubelet, placeKubeadmCertificates, configureKubeadm),
})

/** The control plane on the first master. */
export const initControlPlane = defineTask({
  name: 'kubeadm-init',
  description: 'Make the control plane on the first master',
  isRequired: byKubeadm,
  plan: (t) =>
    t.on(
      t.hosts('master').filter((host) => isFirst(t, host)),
      initFirstMaster,
      apiServerAnswers,
    ),
})

/**
 * The control plane on the other masters: a stacked etcd takes in one member at a time, any other lets all masters join at once. Where
 * kubeadm can stop between the two, only etcd is waited for one by one, and the API servers come up side by side.
 */
export const joinControlPlanes = defineTask({
  name: 'kubeadm-join-masters',
  description: 'Join the other masters',
  isRequired: byKubeadm,
  plan: (t) => {
    const others = t.hosts('master').filter((host) => !isFirst(t, host))
    const take = t.cluster.spec.etcd.type === 'kubeadm' ? t.rolling : t.on
    return startsFirst(t)
      ? seq(take(others, startControlPlane), t.on(others, apiServerAnswers, joinCluster))
      : take(others, joinCluster, apiServerAnswers)
  },
})

/** All workers at once. */
export const joinWorkers = defineTask({
  name: 'kubeadm-join-workers',
  description: 'Join the workers',
  isRequired: byKubeadm,
  plan: (t) =>
    t.on(
      t.hosts('worker').filter(({ roles }) => !roles.includes('master')),
      joinCluster,
    ),
})
