import { apiServerPort, inUrl, mastersOf } from '../../../config/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { type BalancerPlace, balancerSteps } from '../../../step/generic/balancer.ts'
import { claimDirectory, writeFile } from '../../../step/generic/file.ts'
import { makeSystemUser } from '../../../step/generic/user.ts'
import { haproxyCfg } from './templates.ts'

const inContainer = '/usr/local/etc/haproxy'

export const { runPod, run, listens } = balancerSteps({
  name: 'haproxy',
  chosen: ({ spec: { controlPlaneEndpoint } }) => {
    const { haproxy } = controlPlaneEndpoint
    const { image, frontendBindAddress: address, frontendPort: port, healthCheckPort: healthPort, skipInstall } = haproxy
    return { image, address, port, healthPort, skipInstall }
  },
  configuration: ({ cluster }, place) => {
    const { haproxy } = cluster.spec.controlPlaneEndpoint
    return haproxyCfg({
      bind: bindTo(place, cluster.spec.controlPlaneEndpoint.lb_address),
      health: place.health,
      runs: place.runs,
      servers: mastersOf(cluster).map(({ name, internalAddress }) => ({
        name,
        address: `${inUrl(internalAddress)}:${apiServerPort(cluster.spec)}`,
      })),
      balance: haproxy.balanceAlgorithm,
      extra: {
        global: haproxy.extraGlobalConfig,
        defaults: haproxy.extraDefaultsConfig,
        frontend: haproxy.extraFrontendConfig,
        backend: haproxy.extraBackendConfig,
      },
    })
  },
  pod: {
    directory: inContainer,
    file: 'haproxy.cfg',
    command: ['haproxy', '-W', '-db', '-f', `${inContainer}/haproxy.cfg`],
    readOnlyRoot: true,
  },
  service: { files: (_ctx, content) => [writeFile({ path: '/etc/haproxy/haproxy.cfg', content })], claims },
})

/** `*` means every address; where the virtual one is of IPv6, those of IPv6 too. */
function bindTo({ address, port }: BalancerPlace, virtual: string): string {
  if (address !== '*') return `${address}:${port}`
  return virtual.includes(':') ? `:::${port} v4v6` : `*:${port}`
}

/** Debian's unit makes a place for the log in the home of haproxy; rpm never removes users. */
function claims({ host }: StepContext) {
  return host.facts.family === 'debian'
    ? [claimDirectory('/var/lib/haproxy'), claimDirectory('/run/haproxy')]
    : [makeSystemUser({ name: 'haproxy', home: '/var/lib/haproxy' }), claimDirectory('/var/lib/haproxy')]
}
