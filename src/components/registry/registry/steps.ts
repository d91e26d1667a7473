import { hostLayout, hostsOf } from '../../../config/index.ts'
import { fail } from '../../../error/index.ts'
import { imageName, type Publication, parseReference, privateRegistryOf, type RegistryPlace } from '../../../resource/index.ts'
import type { StepContext } from '../../../runtime/index.ts'
import { installArchive } from '../../../step/generic/archive.ts'
import { certificatePaths, placeCertificates } from '../../../step/generic/certificate.ts'
import { makeDirectory, writeFile } from '../../../step/generic/file.ts'
import { notListening } from '../../../step/generic/port.ts'
import { privateRegistryAuthority, privateRegistryLogin } from '../../../step/generic/private-registry.ts'
import { installUnit } from '../../../step/generic/service.ts'
import { composeStep, defineStep, needed, satisfied, waitStep } from '../../../step/index.ts'
import { Secret } from '../../../util/secret.ts'
import { minutes, seconds } from '../../../util/time.ts'
import { htpasswd, registryConfigYml, registryUnit } from './templates.ts'

const config = `${hostLayout.registry}/config.yml`
const users = `${hostLayout.registry}/htpasswd`

export const installRegistry = composeStep({
  name: 'registry.install',
  title: 'Install the registry program',
  timeout: minutes(5),
  ops: async (ctx) => {
    const { artifact, path, sha256 } = await ctx.artifacts.get('registry')
    const members = 'file' in artifact ? artifact.file.programs : []
    return [installArchive({ name: 'registry', from: path, sha256, into: hostLayout.programs, members })]
  },
})

export const runRegistry = composeStep({
  name: 'registry.run',
  title: 'Configure and run the registry',
  timeout: minutes(2),
  ops: async (ctx) => {
    const { registryDataDir: dataDirectory, deleteDataOnClean, registryConfig } = ctx.cluster.spec.registry
    const { cert: certificate, key } = certificatePaths('registry')
    const { username, password } = await loginTo(ctx)
    const files = [
      ...(await placeCertificates(ctx, ['registry'])),
      writeFile({ path: users, content: new Secret(htpasswd(username, password.reveal())), mode: '0600' }),
      writeFile({ path: config, content: registryConfigYml({ port: registryConfig.port, dataDirectory, certificate, key, users }) }),
    ]
    return [
      // Images outlive the cluster unless the user wants otherwise; an empty place for them does not.
      makeDirectory({ path: dataDirectory, mode: '0700', contents: deleteDataOnClean ? 'ours' : 'foreign', data: true }),
      ...files,
      ...installUnit({
        name: 'registry.service',
        content: registryUnit(`${hostLayout.programs}/registry`, config, dataDirectory),
        files: files.map((file) => file.id),
      }),
    ]
  },
})

export const registryListens = waitStep({
  name: 'registry.listens',
  title: 'Wait for the registry to listen',
  timeout: seconds(30),
  every: seconds(0.5),
  until: (ctx) => notListening(ctx.on, [ctx.cluster.spec.registry.registryConfig.port]),
})

/** One image with the ids of its archives, one for each architecture the cluster has. */
type ImageToPush = { readonly image: string; readonly ids: readonly string[] }

/** Puts one image into the registry, under the name pods use and under its own, which makes the registry a mirror of where it came from. */
export const pushImage = defineStep<ImageToPush>({
  name: 'registry.push',
  title: ({ image }) => `Push ${image} to the registry`,
  timeout: minutes(30),
  retry: { times: 2, every: seconds(2) },
  precheck: async (ctx, { image, ids }) => {
    const place = await placeOf(ctx)
    for (const publication of await publications(ctx, image, ids)) {
      if (!(await isThere(ctx, place, publication))) return needed(`push ${image}`)
    }
    return satisfied
  },
  run: async (ctx, { image, ids }) => {
    const place = await placeOf(ctx)
    for (const publication of await publications(ctx, image, ids)) {
      const { uploadedBytes } = await ctx.registries.publish(place, publication, ctx.signal)
      ctx.log('debug', `${uploadedBytes} bytes were sent for ${publication.repository}:${publication.tag}`)
    }
  },
  rollback: { irreversible: 'an image that is in the registry does no harm, and goes with its data directory' },
})

/** A registry that is not up has nothing: that it cannot be reached is told when something is to be sent. */
async function isThere({ registries, signal }: StepContext, place: RegistryPlace, image: Publication): Promise<boolean> {
  try {
    return await registries.has(place, image, signal)
  } catch {
    signal.throwIfAborted()
    return false
  }
}

async function placeOf(ctx: StepContext): Promise<RegistryPlace> {
  const host = hostsOf(ctx.cluster).find(({ roles }) => roles.includes('registry'))
  const registry = privateRegistryOf(ctx.cluster)
  if (host === undefined || registry === null) throw fail('KX_BUG', { what: 'images are pushed, and there is no registry' })
  return { registry, address: host.address, authority: await privateRegistryAuthority(ctx), credentials: await loginTo(ctx) }
}

async function publications(ctx: StepContext, image: string, ids: readonly string[]): Promise<readonly Publication[]> {
  const parts = await Promise.all(
    ids.map(async (id) => {
      const { artifact, path } = await ctx.artifacts.find(id)
      return { path, arch: artifact.kind === 'image' ? artifact.arch : '' }
    }),
  )
  const [used, own] = [parseReference(imageName(ctx.cluster, image)), parseReference(image)]
  const first = { repository: used.repository, tag: used.tag, parts }
  return own.repository === used.repository ? [first] : [first, { ...first, repository: own.repository, alsoIn: used.repository }]
}

async function loginTo(ctx: StepContext) {
  const login = await privateRegistryLogin(ctx)
  if (login === null) throw fail('KX_BUG', { what: 'the registry of the cluster has no user' })
  return login
}
