import { apiServerPort, hostLayout, inUrl, mastersOf } from '../../../config/index.ts'
import { staticPod } from '../../../manifest/index.ts'
import { builtInCatalogue, componentImages, imageName } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { claimDirectory, claimFile, writeFile } from '../../../step/generic/file.ts'
import { setSysctls } from '../../../step/generic/kernel.ts'
import { packageNames } from '../../../step/generic/package.ts'
import { packagedService } from '../../../step/generic/packaged-service.ts'
import { notListening } from '../../../step/generic/port.ts'
import { makeSystemUser } from '../../../step/generic/user.ts'
import { composeStep, type Op, waitStep } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { toYaml } from '../../../util/yaml.ts'
import { type NginxSettings, nginxConf, nginxDropIn } from './templates.ts'

const inContainer = '/etc/kubexm'
/** What the distribution's unit runs with. */
const packagedConfig = '/etc/nginx/nginx.conf'

/** The programs of a worker reach the API servers at its own loopback. */
export const runNginxPod = composeStep({
  name: 'nginx.run-pod',
  title: 'Balance the API servers with nginx in a pod',
  timeout: minutes(1),
  ops: (ctx) => {
    const { nginxLB, port } = ctx.cluster.spec.controlPlaneEndpoint
    const health = { port: nginxLB.healthCheckPort, of: 'nginx' } as const
    const configuration = nginxConf({ ...settingsFor(ctx), listen: `127.0.0.1:${port}`, health, runs: 'in-pod' })
    const directory = `${hostLayout.podSettings}/nginx`
    const [known = ''] = componentImages(builtInCatalogue, 'nginx')
    const pod = staticPod({
      name: 'nginx',
      image: imageName(ctx.cluster, nginxLB.image ?? known),
      command: ['nginx', '-g', 'daemon off;', '-c', `${inContainer}/nginx.conf`],
      // The directory, not the file: a file that is replaced would stay the old one inside.
      mounts: [{ name: 'settings', path: directory, at: inContainer, type: 'Directory' }],
      configuration,
      health: { path: '/healthz', port: health.port },
      // The master process of nginx gives its places for temporary files to its workers, and becomes one of them.
      capabilities: ['CHOWN', 'SETGID', 'SETUID'],
    })
    return [
      writeFile({ path: `${directory}/nginx.conf`, content: configuration }),
      writeFile({ path: `${hostLayout.staticPods}/nginx.yaml`, content: toYaml(pod), mode: '0600' }),
    ]
  },
})

/** nginx of the distribution, for a virtual address to lead to. */
export const runNginx = composeStep({
  name: 'nginx.run',
  title: 'Balance the API servers with nginx',
  timeout: minutes(10),
  ops: (ctx) => {
    const { nginxLB, port } = ctx.cluster.spec.controlPlaneEndpoint
    const { configFilePath: path, listenAddress, skipInstall } = nginxLB
    const health = { port: nginxLB.healthCheckPort, of: 'api-servers' } as const
    const runs = ctx.host.facts.family === 'debian' ? 'debian' : 'rhel'
    const content = nginxConf({ ...settingsFor(ctx), listen: listenOn(ctx, listenAddress, nginxLB.listenPort ?? port), health, runs })
    return [
      ...boundBeforeItComes(ctx, listenAddress),
      ...packagedService(ctx.host, {
        unit: 'nginx.service',
        packages: skipInstall ? [] : packageNames(ctx.host, builtInCatalogue.packages.nginx),
        files: [
          writeFile({ path, content }),
          ...(path === packagedConfig
            ? []
            : [writeFile({ path: '/etc/systemd/system/nginx.service.d/kubexm.conf', content: nginxDropIn(path) })]),
        ],
        claims: claimsOn(ctx),
      }),
    ]
  },
})

/** One that goes on with the file it had before would run as well, and serve nobody. */
export const nginxListens = waitStep({
  name: 'nginx.listens',
  title: 'Wait for nginx to listen',
  timeout: seconds(30),
  until: (ctx) => {
    const { nginxLB, port } = ctx.cluster.spec.controlPlaneEndpoint
    return notListening(ctx.on, [nginxLB.listenPort ?? port, nginxLB.healthCheckPort])
  },
})

function settingsFor({ cluster }: StepContext): Pick<NginxSettings, 'servers' | 'balance' | 'extra'> {
  const { nginxLB } = cluster.spec.controlPlaneEndpoint
  return {
    servers: mastersOf(cluster).map(({ internalAddress }) => `${inUrl(internalAddress)}:${apiServerPort(cluster.spec)}`),
    balance: nginxLB.balanceAlgorithm,
    extra: { http: nginxLB.extraHttpConfig, stream: nginxLB.extraStreamConfig, server: nginxLB.extraServerConfig },
  }
}

/** Every address is those of IPv6 too where the virtual one is of IPv6. */
function listenOn({ cluster }: StepContext, address: string, port: number): string {
  if (address === '0.0.0.0' && cluster.spec.controlPlaneEndpoint.lb_address.includes(':')) return `[::]:${port} ipv6only=off`
  return `${inUrl(address)}:${port}`
}

/** The virtual address is on one host at a time, and nginx listens on it everywhere. */
const boundBeforeItComes = ({ cluster }: StepContext, address: string): readonly Op[] =>
  address === cluster.spec.controlPlaneEndpoint.lb_address
    ? setSysctls('/etc/sysctl.d/98-kubexm-nginx.conf', { [`net.ipv${address.includes(':') ? 6 : 4}.ip_nonlocal_bind`]: '1' })
    : []

/** What stays when the package goes: Debian's welcome page; elsewhere logs, temporary files, and the user, which rpm never removes. */
const claimsOn = ({ host }: StepContext): readonly Op[] =>
  host.facts.family === 'debian'
    ? [claimFile('/var/www/html/index.nginx-debian.html')]
    : [makeSystemUser({ name: 'nginx', home: '/var/lib/nginx' }), claimDirectory('/var/lib/nginx'), claimDirectory('/var/log/nginx')]
