import type { Cluster, Role } from '../config/index.ts'
import type { Artifact } from '../resource/index.ts'
import type { HostName } from '../util/where.ts'
import type { Host, PlanContext } from './context.ts'
import type { WorkPaths } from './paths.ts'

/** What is planned with, for these hosts. */
export function planContext(cluster: Cluster, hosts: readonly Host[], paths: WorkPaths, artifacts: readonly Artifact[] = []): PlanContext {
  const byRole = new Map<Role | undefined, readonly Host[]>()
  return {
    cluster,
    paths,
    artifacts,
    hosts: (role) => {
      const known = byRole.get(role) ?? (role === undefined ? hosts : hosts.filter((host) => host.roles.includes(role)))
      byRole.set(role, known)
      return known
    },
    narrow: (names: readonly HostName[]) => {
      const wanted = new Set(names)
      return planContext(
        cluster,
        hosts.filter((host) => wanted.has(host.name)),
        paths,
        artifacts.filter((artifact) => artifact.hosts.some((host) => wanted.has(host))),
      )
    },
  }
}
