import { apiServerPort, hostLayout, inUrl, mastersOf } from '../../../config/index.ts'
import { staticPod } from '../../../manifest/index.ts'
import { builtInCatalogue, componentImages, imageName } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { claimDirectory, writeFile } from '../../../step/generic/file.ts'
import { setSysctls } from '../../../step/generic/kernel.ts'
import { packageNames } from '../../../step/generic/package.ts'
import { packagedService } from '../../../step/generic/packaged-service.ts'
import { notListening } from '../../../step/generic/port.ts'
import { makeSystemUser } from '../../../step/generic/user.ts'
import { composeStep, type Op, waitStep } from '../../../step/index.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { toYaml } from '../../../util/yaml.ts'
import { type HaproxySettings, haproxyCfg } from './templates.ts'

const inContainer = '/usr/local/etc/haproxy'

/** The programs of a worker reach the API servers at its own loopback. */
export const runHaproxyPod = composeStep({
  name: 'haproxy.run-pod',
  title: 'Balance the API servers with haproxy in a pod',
  timeout: minutes(1),
  ops: (ctx) => {
    const { haproxy, port } = ctx.cluster.spec.controlPlaneEndpoint
    const health = { port: haproxy.healthCheckPort, of: 'haproxy' } as const
    const configuration = haproxyCfg({ ...settingsFor(ctx), bind: `127.0.0.1:${port}`, health, runs: 'in-pod' })
    const directory = `${hostLayout.podSettings}/haproxy`
    const [known = ''] = componentImages(builtInCatalogue, 'haproxy')
    const pod = staticPod({
      name: 'haproxy',
      image: imageName(ctx.cluster, haproxy.image ?? known),
      command: ['haproxy', '-W', '-db', '-f', `${inContainer}/haproxy.cfg`],
      // The directory, not the file: a file that is replaced would stay the old one inside.
      mounts: [{ name: 'settings', path: directory, at: inContainer, type: 'Directory' }],
      configuration,
      health: { path: '/healthz', port: health.port },
      readOnlyRoot: true,
    })
    return [
      writeFile({ path: `${directory}/haproxy.cfg`, content: configuration }),
      writeFile({ path: `${hostLayout.staticPods}/haproxy.yaml`, content: toYaml(pod), mode: '0600' }),
    ]
  },
})

/** haproxy of the distribution, for a virtual address to lead to. */
export const runHaproxy = composeStep({
  name: 'haproxy.run',
  title: 'Balance the API servers with haproxy',
  timeout: minutes(10),
  ops: (ctx) => {
    const { haproxy, port } = ctx.cluster.spec.controlPlaneEndpoint
    const health = { port: haproxy.healthCheckPort, of: 'api-servers' } as const
    const bind = bindTo(ctx, haproxy.frontendBindAddress, haproxy.frontendPort ?? port)
    const content = haproxyCfg({ ...settingsFor(ctx), bind, health, runs: 'as-service' })
    return [
      ...boundBeforeItComes(ctx, haproxy.frontendBindAddress),
      ...packagedService(ctx.host, {
        unit: 'haproxy.service',
        packages: haproxy.skipInstall ? [] : packageNames(ctx.host, builtInCatalogue.packages.haproxy),
        files: [writeFile({ path: '/etc/haproxy/haproxy.cfg', content })],
        claims: claimsOn(ctx),
      }),
    ]
  },
})

/** One that goes on with the file it had before would run as well, and serve nobody. */
export const haproxyListens = waitStep({
  name: 'haproxy.listens',
  title: 'Wait for haproxy to listen',
  timeout: seconds(30),
  until: (ctx) => {
    const { haproxy, port } = ctx.cluster.spec.controlPlaneEndpoint
    return notListening(ctx.on, [haproxy.frontendPort ?? port, haproxy.healthCheckPort])
  },
})

function settingsFor({ cluster }: StepContext): Pick<HaproxySettings, 'servers' | 'balance' | 'extra'> {
  const { haproxy } = cluster.spec.controlPlaneEndpoint
  return {
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
  }
}

/** `*` means every address; where the virtual one is of IPv6, those of IPv6 too. */
function bindTo({ cluster }: StepContext, address: string, port: number): string {
  if (address !== '*') return `${address}:${port}`
  return cluster.spec.controlPlaneEndpoint.lb_address.includes(':') ? `:::${port} v4v6` : `*:${port}`
}

/** The virtual address is on one host at a time, and haproxy listens on it everywhere. */
const boundBeforeItComes = ({ cluster }: StepContext, address: string): readonly Op[] =>
  address === cluster.spec.controlPlaneEndpoint.lb_address
    ? setSysctls('/etc/sysctl.d/98-kubexm-haproxy.conf', { [`net.ipv${address.includes(':') ? 6 : 4}.ip_nonlocal_bind`]: '1' })
    : []

/** What stays when the package goes: Debian's unit makes a place for the log in the home of haproxy, rpm never removes users. */
const claimsOn = ({ host }: StepContext): readonly Op[] =>
  host.facts.family === 'debian'
    ? [claimDirectory('/var/lib/haproxy'), claimDirectory('/run/haproxy')]
    : [makeSystemUser({ name: 'haproxy', home: '/var/lib/haproxy' }), claimDirectory('/var/lib/haproxy')]
