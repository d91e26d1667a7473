import type { Secret as SecretSource } from '../../../config/index.ts'
import { builtInCatalogue, kubernetesImageTags } from '../../../resource/index.ts'
import { sh } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { installArchive } from '../../../step/generic/archive.ts'
import { makeDirectory, uploadFile, writeFile } from '../../../step/generic/file.ts'
import { installUnit } from '../../../step/generic/service.ts'
import { composeStep, type Op, waitStep } from '../../../step/index.ts'
import { Secret } from '../../../util/secret.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { containerdConfigToml, containerdUnit, crictlYaml, hostsToml } from './templates.ts'

const programs = '/usr/local/bin'

export const installContainerd = composeStep({
  name: 'containerd.install',
  title: 'Install containerd, runc, crictl and the CNI plugins',
  timeout: minutes(10),
  ops: async (ctx) => [
    makeDirectory({ path: '/opt/cni/bin' }),
    await archive(ctx, 'containerd', programs, 1),
    await archive(ctx, 'crictl', programs, 0),
    await archive(ctx, 'cni-plugins', '/opt/cni/bin', 0),
    await ctx.artifacts.get('runc').then(({ path, sha256 }) => uploadFile({ path: `${programs}/runc`, from: path, sha256, mode: '0755' })),
  ],
})

export const runContainerd = composeStep({
  name: 'containerd.run',
  title: 'Configure and run containerd',
  timeout: minutes(3),
  ops: async (ctx) => {
    const { containerd } = ctx.cluster.spec.kubernetes.containerRuntime
    const config = writeFile({ path: '/etc/containerd/config.toml', content: new Secret(await configFor(ctx)), mode: '0600' })
    const registries = hostsFiles(ctx)
    const files = [config, ...registries].map((file) => file.id)
    return [
      // These would be made by containerd itself: declared here, they go with it.
      makeDirectory({ path: containerd.state, mode: '0711', contents: 'ours' }),
      makeDirectory({ path: containerd.root, mode: '0711', contents: 'ours', data: true }),
      makeDirectory({ path: '/etc/cni/net.d', mode: '0700', contents: 'ours' }),
      config,
      ...registries,
      writeFile({ path: '/etc/crictl.yaml', content: crictlYaml(containerd.endpoint) }),
      ...installUnit({ name: 'containerd.service', content: containerdUnit(), files }),
    ]
  },
})

export const containerdAnswers = waitStep({
  name: 'containerd.answers',
  title: 'Wait for containerd to answer',
  timeout: minutes(1),
  every: seconds(1),
  until: async (ctx) => {
    const { code, stderr } = await ctx.on.run(sh`${programs}/crictl version`, { ok: 'any' })
    return code === 0 ? null : stderr.trim()
  },
})

async function archive(ctx: StepContext, name: string, into: string, strip: number): Promise<Op> {
  const { artifact, path, sha256 } = await ctx.artifacts.get(name)
  const members = 'file' in artifact ? artifact.file.programs : []
  return installArchive({ name, from: path, sha256, into, members, strip })
}

async function configFor(ctx: StepContext): Promise<string> {
  const { kubernetes, registry } = ctx.cluster.spec
  const { containerd, version } = kubernetes.containerRuntime
  const auths: Record<string, { username: string; password: string }> = {}
  const known = [
    ...Object.entries(registry.auths),
    ...Object.entries(containerd.registry?.configs ?? {}).map(([name, { auth }]) => [name, auth ?? {}] as const),
  ]
  for (const [name, auth] of known) {
    const { username, password } = auth as { username?: string; password?: SecretSource }
    if (username !== undefined && password !== undefined) auths[name] = { username, password: (await ctx.reveal(password)).reveal() }
  }
  return containerdConfigToml({
    version,
    root: containerd.root,
    state: containerd.state,
    pause: containerd.pause ?? `registry.k8s.io/pause:${kubernetesImageTags(builtInCatalogue, kubernetes.version).pause}`,
    systemdCgroup: containerd.useSystemdCgroup ?? ctx.host.facts.init === 'systemd',
    hostsDirectory: containerd.configPath,
    disabledPlugins: containerd.disabledPlugins,
    requiredPlugins: containerd.requiredPlugins,
    imports: containerd.imports,
    auths,
    extra: containerd.extraTomlConfig,
  })
}

/** A hosts.toml for every registry about which something is said. */
function hostsFiles({ cluster }: StepContext): readonly Op[] {
  const { registry, kubernetes } = cluster.spec
  const { containerd } = kubernetes.containerRuntime
  const insecure = [...registry.insecureRegistries, ...containerd.insecureRegistries]
  const mirrors: Record<string, readonly string[]> = {
    'docker.io': [...containerd.registryMirrors, ...registry.registryMirrors].map(withScheme),
    ...Object.fromEntries(Object.entries(containerd.registry?.mirrors ?? {}).map(([name, { endpoints }]) => [name, endpoints])),
  }
  const configs = containerd.registry?.configs ?? {}
  const names = [...new Set([...Object.keys(mirrors), ...insecure, ...Object.keys(configs), ...Object.keys(registry.auths)])].sort()
  return names.flatMap((name) => {
    const auth = registry.auths[name]
    const tls = configs[name]?.tls
    const skipVerify = insecure.includes(name) || auth?.skipTLSVerify === true || tls?.insecureSkipVerify === true
    const ca = tls?.caFile ?? null
    const own = mirrors[name] ?? []
    if (own.length === 0 && !skipVerify && ca === null && auth?.plainHTTP !== true) return []
    const server = name === 'docker.io' ? 'https://registry-1.docker.io' : `${auth?.plainHTTP === true ? 'http' : 'https'}://${name}`
    const client = tls?.certFile !== undefined && tls.keyFile !== undefined ? ([tls.certFile, tls.keyFile] as const) : null
    return [
      writeFile({
        path: `${containerd.configPath}/${name}/hosts.toml`,
        content: hostsToml({ server, mirrors: own, skipVerify, ca, client }),
      }),
    ]
  })
}

const withScheme = (mirror: string): string => (/^https?:\/\//.test(mirror) ? mirror : `https://${mirror}`)
