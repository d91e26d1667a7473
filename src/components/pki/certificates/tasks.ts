import { defineTask } from '../../../task/index.ts'
import { issueAll } from './steps.ts'

/** Authorities, leaves, kubeconfigs and keys, on this machine. */
export const issueCertificates = defineTask({
  name: 'issue-certificates',
  description: 'Make the certificates and keys of the cluster, or those among them that are missing or no longer good',
  plan: (t) => t.local(issueAll),
})
