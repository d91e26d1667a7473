import { type Cluster, hostLayout } from '../../config/index.ts'
import { type StaticPod, staticPod } from '../../manifest/index.ts'
import { builtInCatalogue, componentImages, imageName } from '../../resource/index.ts'
import type { StepContext } from '../../runtime/index.ts'
import { minutes, seconds } from '../../util/time.ts'
import { toYaml } from '../../util/yaml.ts'
import { composeStep } from '../compose.ts'
import { waitStep } from '../define.ts'
import type { Op } from '../op.ts'
import { writeFile } from './file.ts'
import { setSysctls } from './kernel.ts'
import { packageNames } from './package.ts'
import { packagedService } from './packaged-service.ts'
import { notListening } from './port.ts'

/** Where a balancer listens, and whose health it tells: its own to a kubelet, that of the API servers to who holds the virtual address. */
export interface BalancerPlace {
  readonly runs: 'in-pod' | 'as-service'
  readonly address: string
  readonly port: number
  readonly health: { readonly port: number; readonly of: 'itself' | 'api-servers' }
}

/** What makes one program that balances the API servers different from another. */
export interface Balancer {
  readonly name: 'haproxy' | 'nginx'
  /** What the config says of it. */
  readonly chosen: (cluster: Cluster) => {
    readonly image: string | undefined
    readonly address: string
    readonly port: number | undefined
    readonly healthPort: number
    readonly skipInstall: boolean
  }
  readonly configuration: (ctx: StepContext, place: BalancerPlace) => string
  /** Its file in the pod, and what the pod is allowed. */
  readonly pod: { readonly directory: string; readonly file: string; readonly command: readonly string[] } & Partial<
    Pick<StaticPod, 'readOnlyRoot' | 'capabilities'>
  >
  /** Its files as a service of the distribution, and what stays when the package goes. */
  readonly service: {
    readonly files: (ctx: StepContext, content: string) => readonly Op[]
    readonly claims: (ctx: StepContext) => readonly Op[]
  }
}

/** The steps that run a balancer: in a pod on workers, or as a service on hosts of its own. */
export function balancerSteps({ name, chosen, configuration, pod, service }: Balancer) {
  const portOf = (cluster: Cluster): number => chosen(cluster).port ?? cluster.spec.controlPlaneEndpoint.port
  return {
    /** The programs of a worker reach the API servers at its own loopback. */
    runPod: composeStep({
      name: `${name}.run-pod`,
      title: `Balance the API servers with ${name} in a pod`,
      timeout: minutes(1),
      ops: (ctx) => {
        const { image, healthPort } = chosen(ctx.cluster)
        const { port } = ctx.cluster.spec.controlPlaneEndpoint
        const content = configuration(ctx, { runs: 'in-pod', address: '127.0.0.1', port, health: { port: healthPort, of: 'itself' } })
        const { directory: at, file, ...allowed } = pod
        const directory = `${hostLayout.podSettings}/${name}`
        const [known = ''] = componentImages(builtInCatalogue, name)
        const manifest = staticPod({
          ...allowed,
          name,
          image: imageName(ctx.cluster, image ?? known),
          // The directory, not the file: a file that is replaced would stay the old one inside.
          mounts: [{ name: 'settings', path: directory, at, type: 'Directory' }],
          configuration: content,
          health: { path: '/healthz', port: healthPort },
        })
        return [
          writeFile({ path: `${directory}/${file}`, content }),
          writeFile({ path: `${hostLayout.staticPods}/${name}.yaml`, content: toYaml(manifest), mode: '0600' }),
        ]
      },
    }),

    /** The program of the distribution, for a virtual address to lead to. */
    run: composeStep({
      name: `${name}.run`,
      title: `Balance the API servers with ${name}`,
      timeout: minutes(10),
      ops: (ctx) => {
        const { address, healthPort, skipInstall } = chosen(ctx.cluster)
        const health = { port: healthPort, of: 'api-servers' } as const
        const content = configuration(ctx, { runs: 'as-service', address, port: portOf(ctx.cluster), health })
        return [
          ...boundBeforeItComes(name, ctx, address),
          ...packagedService(ctx.host, {
            unit: `${name}.service`,
            packages: skipInstall ? [] : packageNames(ctx.host, builtInCatalogue.packages[name]),
            files: service.files(ctx, content),
            claims: service.claims(ctx),
          }),
        ]
      },
    }),

    /** One that goes on with the file it had before would run as well, and serve nobody. */
    listens: waitStep({
      name: `${name}.listens`,
      title: `Wait for ${name} to listen`,
      timeout: seconds(30),
      until: ({ on, cluster }) => notListening(on, [portOf(cluster), chosen(cluster).healthPort]),
    }),
  }
}

/** The virtual address is on one host at a time, and the balancer listens on it everywhere. */
const boundBeforeItComes = (name: string, { cluster }: StepContext, address: string): readonly Op[] =>
  address === cluster.spec.controlPlaneEndpoint.lb_address
    ? setSysctls(`/etc/sysctl.d/98-kubexm-${name}.conf`, { [`net.ipv${address.includes(':') ? 6 : 4}.ip_nonlocal_bind`]: '1' })
    : []
