import type { SecretSource } from '../../../config/index.ts'
import { fail } from '../../../error/index.ts'
import { cgroupDriverFor } from '../../../manifest/index.ts'
import { builtInCatalogue, imageName, kubernetesImageTags, privateRegistryOf } from '../../../resource/index.ts'
import { sh } from '../../../runner/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { installArchive } from '../../../step/generic/archive.ts'
import { makeDirectory, uploadFile, writeFile } from '../../../step/generic/file.ts'
import { privateRegistryAuthority, privateRegistryLogin, runsRegistry } from '../../../step/generic/private-registry.ts'
import { installUnit } from '../../../step/generic/service.ts'
import { composeStep, defineCheck, hasForeignUnit, type Op, unlessForeign, waitStep } from '../../../step/index.ts'
import { Secret } from '../../../util/secret.ts'
import { minutes, seconds } from '../../../util/time.ts'
import {
  cgroupDriverIn,
  containerdConfigToml,
  containerdUnit,
  crictlYaml,
  hostsToml,
  publicRegistries,
  type RegistryAuth,
  type RegistryTrust,
  serverOf,
  withScheme,
} from './templates.ts'

const programs = '/usr/local/bin'

const unit = 'containerd.service'

const isOurs = unlessForeign(unit)

/** Also where preflight was left out or told to accept it: what is not ours is never overwritten. */
export const refuseForeign = defineCheck({
  name: 'containerd.refuse-foreign',
  title: 'Make sure that no other containerd is there',
  timeout: seconds(30),
  check: async (ctx) => {
    if (await hasForeignUnit(ctx, unit)) throw fail('KX_FOREIGN_RUNTIME', { runtime: 'containerd' })
    return null
  },
})

export const installContainerd = composeStep({
  name: 'containerd.install',
  title: 'Install containerd and runc',
  timeout: minutes(10),
  when: isOurs,
  ops: async (ctx) => [
    await archive(ctx, 'containerd', programs, 1),
    await ctx.artifacts.get('runc').then(({ path, sha256 }) => uploadFile({ path: `${programs}/runc`, from: path, sha256, mode: '0755' })),
  ],
})

export const installTools = composeStep({
  name: 'containerd.install-tools',
  title: 'Install crictl and the CNI plugins',
  timeout: minutes(10),
  ops: async (ctx) => {
    const { endpoint, nerdctl } = ctx.cluster.spec.kubernetes.containerRuntime.containerd
    return [
      makeDirectory({ path: '/opt/cni/bin' }),
      await archive(ctx, 'cni-plugins', '/opt/cni/bin', 0),
      await archive(ctx, 'crictl', programs, 0),
      ...(nerdctl ? [await archive(ctx, 'nerdctl', programs, 0)] : []),
      makeDirectory({ path: '/etc/cni/net.d', mode: '0700', contents: 'ours' }),
      writeFile({ path: '/etc/crictl.yaml', content: crictlYaml(endpoint) }),
    ]
  },
})

export const runContainerd = composeStep({
  name: 'containerd.run',
  title: 'Configure and run containerd',
  timeout: minutes(3),
  when: isOurs,
  ops: async (ctx) => {
    const { containerd } = ctx.cluster.spec.kubernetes.containerRuntime
    const config = writeFile({ path: '/etc/containerd/config.toml', content: new Secret(await configFor(ctx)), mode: '0600' })
    const registries = await registryFiles(ctx)
    const files = [config, ...registries].map((file) => file.id)
    return [
      // These would be made by containerd itself: declared here, they go with it.
      makeDirectory({ path: containerd.state, mode: '0711', contents: 'ours' }),
      makeDirectory({ path: containerd.root, mode: '0711', contents: 'ours', data: true }),
      config,
      ...registries,
      ...installUnit({ name: unit, content: containerdUnit(), files }),
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
    if (code === 0) return null
    return /unknown service runtime\.v1/.test(stderr)
      ? 'it runs without its CRI plugin (see disabled_plugins in its config.toml)'
      : stderr.trim()
  },
})

/** One that was there before is used as it is, so it has to fit: with another cgroup driver than the kubelet's no pod starts. */
export const adoptedFits = defineCheck({
  name: 'containerd.adopted-fits',
  title: 'Check that the containerd that was there fits',
  timeout: seconds(30),
  check: async (ctx) => {
    const seen = cgroupDriverIn((await ctx.on.run(sh`${programs}/crictl info`)).stdout)
    const wanted = usesSystemdCgroup(ctx)
    if (seen !== null && seen !== driverOf(wanted))
      throw fail('KX_RUNTIME_CGROUP', { seen, wanted: driverOf(wanted), value: String(wanted) })
    return null
  },
})

const driverOf = (systemd: boolean): ReturnType<typeof cgroupDriverIn> & string => (systemd ? 'systemd' : 'cgroupfs')
const usesSystemdCgroup = ({ cluster, host }: StepContext): boolean => cgroupDriverFor(cluster, host) === 'systemd'

async function archive(ctx: StepContext, name: string, into: string, strip: number): Promise<Op> {
  const { artifact, path, sha256 } = await ctx.artifacts.get(name)
  const members = 'file' in artifact ? artifact.file.programs : []
  return installArchive({ name, from: path, sha256, into, members, strip })
}

async function configFor(ctx: StepContext): Promise<string> {
  const { kubernetes } = ctx.cluster.spec
  const { containerd, version } = kubernetes.containerRuntime
  return containerdConfigToml({
    version,
    root: containerd.root,
    state: containerd.state,
    pause: imageName(
      ctx.cluster,
      containerd.pause ?? `registry.k8s.io/pause:${kubernetesImageTags(builtInCatalogue, kubernetes.version).pause}`,
    ),
    systemdCgroup: usesSystemdCgroup(ctx),
    hostsDirectory: containerd.configPath,
    disabledPlugins: containerd.disabledPlugins,
    requiredPlugins: containerd.requiredPlugins,
    imports: containerd.imports,
    auths: await authsFor(ctx),
    extra: containerd.extraTomlConfig,
  })
}

/** How to log in to every registry the config says it of, and to the private one. */
async function authsFor(ctx: StepContext): Promise<Readonly<Record<string, RegistryAuth>>> {
  const { registry, kubernetes } = ctx.cluster.spec
  const configs = Object.entries(kubernetes.containerRuntime.containerd.registry?.configs ?? {}).map(
    ([name, { auth }]) => [name, auth] as const,
  )
  const said = [...Object.entries(registry.auths), ...configs]
  const known = await Promise.all(said.map(async ([name, auth]) => [name, await authOf(ctx, auth)] as const))
  const own = privateRegistryOf(ctx.cluster)
  const login = own === null ? null : await privateRegistryLogin(ctx)
  return {
    ...(own === null || login === null ? {} : { [own]: { username: login.username, password: login.password.reveal() } }),
    ...Object.fromEntries(known.filter(([, auth]) => Object.keys(auth).length > 0)),
  }
}

interface SaidAuth {
  readonly username?: string | undefined
  readonly password?: SecretSource | undefined
  readonly auth?: SecretSource | undefined
  readonly identityToken?: SecretSource | undefined
}

async function authOf(ctx: StepContext, auth: SaidAuth | undefined): Promise<RegistryAuth> {
  const { username, password, auth: both, identityToken } = auth ?? {}
  const text = async (source: SecretSource): Promise<string> => (await ctx.reveal(source)).reveal()
  if (username !== undefined && password !== undefined) return { username, password: await text(password) }
  if (both !== undefined) return { auth: await text(both) }
  return identityToken === undefined ? {} : { identitytoken: await text(identityToken) }
}

/** A hosts.toml for every registry about which something is to be said, and the authority of the one kubexm runs. */
async function registryFiles(ctx: StepContext): Promise<readonly Op[]> {
  const { registry, kubernetes } = ctx.cluster.spec
  const { containerd } = kubernetes.containerRuntime
  const own = runsRegistry(ctx.cluster) ? privateRegistryOf(ctx.cluster) : null
  const authority = await privateRegistryAuthority(ctx)
  const trust = await trustFor(ctx, own)
  const isPlain = (name: string): boolean => registry.auths[name]?.plainHTTP === true
  const given = (name: string): readonly string[] =>
    containerd.registry?.mirrors[name]?.endpoints ??
    (name === 'docker.io' ? [...containerd.registryMirrors, ...registry.registryMirrors] : [])
  const mirrors = (name: string): readonly string[] => [
    // It holds every image of the cluster, and is nearer than anybody else.
    ...(own !== null && isPublic(name) ? [serverOf(own, false)] : []),
    ...given(name).map(withScheme),
  ]
  const names = [
    ...(own === null ? [] : [own, ...publicRegistries]),
    ...['docker.io', ...Object.keys(containerd.registry?.mirrors ?? {}), ...Object.keys(containerd.registry?.configs ?? {})],
    ...[...registry.insecureRegistries, ...containerd.insecureRegistries, ...Object.keys(registry.auths)],
  ]
  const files = [...new Set(names)].sort().flatMap((name) => {
    const itself = { url: serverOf(name, isPlain(name)), trust: trust(name) }
    const others = mirrors(name).map((url) => ({ url, trust: trust(new URL(url).host) }))
    if (others.length === 0 && !isPlain(name) && isPlainTrust(itself.trust)) return []
    const content = hostsToml({ server: itself.url, hosts: [...others, itself] })
    return [writeFile({ path: `${containerd.configPath}/${name}/hosts.toml`, content })]
  })
  return authority === null || own === null ? files : [writeFile({ path: authorityOf(ctx, own), content: authority }), ...files]
}

const isPublic = (name: string): boolean => (publicRegistries as readonly string[]).includes(name)
const isPlainTrust = ({ skipVerify, ca, client }: RegistryTrust): boolean => !skipVerify && ca.length + client.length === 0
const authorityOf = ({ cluster }: StepContext, registry: string): string =>
  `${cluster.spec.kubernetes.containerRuntime.containerd.configPath}/${registry}/ca.crt`

/** How each registry is trusted, by its name; `own` is the one our authority vouches for. */
async function trustFor(ctx: StepContext, own: string | null): Promise<(name: string) => RegistryTrust> {
  const { registry, kubernetes } = ctx.cluster.spec
  const { containerd } = kubernetes.containerRuntime
  const insecure = [...registry.insecureRegistries, ...containerd.insecureRegistries]
  const kept = new Map<string, Pick<RegistryTrust, 'ca' | 'client'>>()
  for (const [name, auth] of Object.entries(registry.auths)) {
    if (auth.certsPath !== undefined) kept.set(name, certificatesIn(auth.certsPath, await ctx.on.files.list(auth.certsPath)))
  }
  return (name) => {
    const tls = containerd.registry?.configs[name]?.tls
    const { ca, client } = kept.get(name) ?? { ca: [], client: [] }
    const pair = tls?.certFile !== undefined && tls.keyFile !== undefined ? [[tls.certFile, tls.keyFile] as const] : []
    return {
      skipVerify: insecure.includes(name) || registry.auths[name]?.skipTLSVerify === true || tls?.insecureSkipVerify === true,
      ca: [...(name === own ? [authorityOf(ctx, own)] : []), ...(tls?.caFile === undefined ? [] : [tls.caFile]), ...ca],
      client: [...pair, ...client],
    }
  }
}

/** A directory of certificates as Docker has them: `*.crt` are trusted, `*.cert` with `*.key` of the same name are ours. */
function certificatesIn(directory: string, names: readonly string[]): Pick<RegistryTrust, 'ca' | 'client'> {
  const at = (name: string): string => `${directory}/${name}`
  const pairs = names.filter((name) => name.endsWith('.cert') && names.includes(name.replace(/cert$/, 'key')))
  return {
    ca: names.filter((name) => name.endsWith('.crt')).map(at),
    client: pairs.map((name) => [at(name), at(name.replace(/cert$/, 'key'))] as const),
  }
}
