import { join } from 'node:path'

/** The local layout of a cluster's work directory: the one place that knows it. */
export interface WorkPaths {
  readonly root: string
  readonly journal: string
  readonly lock: string
  readonly kubeconfig: string
  /** Host keys pinned at first use. */
  readonly knownHosts: string
  certs(of: 'etcd' | 'kubernetes'): string
  host(name: string): string
}

/** `.kubexm/<cluster>/…` under the given base directory. */
export function workPaths(base: string, cluster: string): WorkPaths {
  const root = join(base, '.kubexm', cluster)
  return {
    root,
    journal: join(root, 'state.jsonl'),
    lock: join(root, 'lock.json'),
    kubeconfig: join(root, 'kubeconfig'),
    knownHosts: join(root, 'known_hosts'),
    certs: (of) => join(root, 'certs', of),
    host: (name) => join(root, 'hosts', name),
  }
}
