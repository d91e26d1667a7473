import { apiServerPort, inUrl, mastersOf } from '../../../config/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { type BalancerPlace, balancerSteps } from '../../../step/generic/balancer.ts'
import { claimDirectory, claimFile, writeFile } from '../../../step/generic/file.ts'
import { makeSystemUser } from '../../../step/generic/user.ts'
import { nginxConf, nginxDropIn } from './templates.ts'

const inContainer = '/etc/kubexm'
/** What the distribution's unit runs with. */
const packagedConfig = '/etc/nginx/nginx.conf'

export const { runPod, run, listens } = balancerSteps({
  name: 'nginx',
  chosen: ({ spec: { controlPlaneEndpoint } }) => {
    const { nginxLB } = controlPlaneEndpoint
    const { image, listenAddress: address, listenPort: port, healthCheckPort: healthPort, skipInstall } = nginxLB
    return { image, address, port, healthPort, skipInstall }
  },
  configuration: ({ cluster, host }, place) => {
    const { nginxLB } = cluster.spec.controlPlaneEndpoint
    return nginxConf({
      listen: listenOn(place, cluster.spec.controlPlaneEndpoint.lb_address),
      health: place.health,
      runs: place.runs === 'in-pod' ? 'in-pod' : host.facts.family === 'debian' ? 'debian' : 'rhel',
      servers: mastersOf(cluster).map(({ internalAddress }) => `${inUrl(internalAddress)}:${apiServerPort(cluster.spec)}`),
      balance: nginxLB.balanceAlgorithm,
      extra: { http: nginxLB.extraHttpConfig, stream: nginxLB.extraStreamConfig, server: nginxLB.extraServerConfig },
    })
  },
  pod: {
    directory: inContainer,
    file: 'nginx.conf',
    command: ['nginx', '-g', 'daemon off;', '-c', `${inContainer}/nginx.conf`],
    // The master process of nginx gives its places for temporary files to its workers, and becomes one of them.
    capabilities: ['CHOWN', 'SETGID', 'SETUID'],
  },
  service: { files, claims },
})

/** Every address is those of IPv6 too where the virtual one is of IPv6. */
function listenOn({ address, port }: BalancerPlace, virtual: string): string {
  if (address === '0.0.0.0' && virtual.includes(':')) return `[::]:${port} ipv6only=off`
  return `${inUrl(address)}:${port}`
}

function files({ cluster }: StepContext, content: string) {
  const { configFilePath: path } = cluster.spec.controlPlaneEndpoint.nginxLB
  const dropIn = writeFile({ path: '/etc/systemd/system/nginx.service.d/kubexm.conf', content: nginxDropIn(path) })
  return [writeFile({ path, content }), ...(path === packagedConfig ? [] : [dropIn])]
}

/** Debian's welcome page; elsewhere logs, temporary files, and the user, which rpm never removes. */
function claims({ host }: StepContext) {
  return host.facts.family === 'debian'
    ? [claimFile('/var/www/html/index.nginx-debian.html')]
    : [makeSystemUser({ name: 'nginx', home: '/var/lib/nginx' }), claimDirectory('/var/lib/nginx'), claimDirectory('/var/log/nginx')]
}
