import { seq } from '../../../plan/index.ts'
import { defineTask } from '../../../task/index.ts'
import { etcdAnswers, etcdWhole, installEtcd, refreshEtcd, startEtcd } from './steps.ts'

/**
 * The same plan forms a cluster, mends one and changes one:
 * - What is down is started, one member right after another, and nobody waits for it: a member of a new cluster is ready only when a
 *   majority runs, so waiting for the first would be in vain, however many steps may run at once.
 * - What is up and has older settings than those on disk is restarted, each member only after all answer again: with two of three down
 *   the API servers would have no store. In a new cluster there is nothing to restart.
 * - Deleting goes through it backwards, one member at a time: a leader that leaves hands over in a moment, but three that leave at once
 *   wait 15 s for each other.
 */
export const etcd = defineTask({
  name: 'etcd',
  description: 'Run etcd on every etcd host',
  isRequired: ({ cluster }) => cluster.spec.etcd.type === 'kubexm',
  plan: (t) => {
    const members = t.hosts('etcd')
    return seq(
      t.on(members, installEtcd),
      t.rolling(members, startEtcd),
      t.on(members, etcdAnswers),
      t.rolling(members, refreshEtcd, etcdWhole),
    )
  },
})
