import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'

/** The local layout of a cluster's work directory: the one place that knows it. */
export interface WorkPaths {
  readonly root: string
  readonly journal: string
  readonly lock: string
  readonly kubeconfig: string
  /** The kubeconfig of whoever runs kubexm. */
  readonly userKubeconfig: string
  /** Which kubeconfigs of theirs the cluster was put into. */
  readonly mergedKubeconfigs: string
  /** Host keys pinned at first use. */
  readonly knownHosts: string
  certs(of: 'etcd' | 'kubernetes'): string
  host(name: string): string
}

/** `.kubexm/<cluster>/…` under the given base directory; nobody's home is touched unless `environment` says whose. */
export function workPaths(base: string, cluster: string, environment: Environment | null = null): WorkPaths {
  const root = join(base, '.kubexm', cluster)
  const kubeconfig = join(root, 'kubeconfig')
  return {
    root,
    journal: join(root, 'state.jsonl'),
    lock: join(root, 'lock.json'),
    kubeconfig,
    userKubeconfig: environment === null ? join(base, '.kube', 'config') : userKubeconfig(environment, resolve(kubeconfig)),
    mergedKubeconfigs: join(root, 'merged-kubeconfigs.json'),
    knownHosts: join(root, 'known_hosts'),
    certs: (of) => join(root, 'certs', of),
    host: (name) => join(root, 'hosts', name),
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Where kubectl writes: the first file of KUBECONFIG, else the one in the home. The one kubexm itself keeps for the cluster is not meant. */
function userKubeconfig(environment: Environment, own: string): string {
  const named = (environment.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '')
  return named.map((file) => resolve(file)).find((file) => file !== own) ?? join(homedir(), '.kube', 'config')
}
