import { par } from '../../../plan/index.ts'
import { defineTask } from '../../../task/index.ts'
import { externalEndpoints, externalFiles } from './steps.ts'

/** Belongs to preflight: it changes nothing. */
export const externalEtcd = defineTask({
  name: 'external-etcd',
  description: 'Check that your etcd answers',
  isRequired: ({ cluster }) => cluster.spec.etcd.type === 'external',
  plan: (t) => par(t.local(externalFiles), t.on(t.hosts('master'), externalEndpoints)),
})
