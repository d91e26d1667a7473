import { X509Certificate } from 'node:crypto'
import { compareSync } from 'bcryptjs'
import { fail } from '../error/index.ts'
import { sha256 } from '../util/hash.ts'
import { readText } from './files.ts'
import type { SimulatedHost } from './host.ts'
import { heldDigest, type RegistrySetup, runningRegistry, tagPath } from './registry-daemon.ts'
import type { HostState } from './state.ts'

/** A registry as a client reaches it. */
interface Place {
  readonly registry: string
  readonly address: string
  readonly authority: string | null
  readonly credentials: { readonly username: string; readonly password: { reveal(): string } } | null
}

/** An image with its name there. */
interface Image {
  readonly repository: string
  readonly tag: string
  readonly parts: readonly { readonly arch: string; readonly path: string }[]
}

/** The registries that run on simulated hosts: they answer those who trust them and know a password, and keep what they are given. */
export class SimulatedRegistries {
  readonly #hosts: () => Iterable<SimulatedHost>

  constructor(hosts: () => Iterable<SimulatedHost>) {
    this.#hosts = hosts
  }

  async has(place: Place, image: Image): Promise<boolean> {
    return heldDigest(this.#reach(place).state, image.repository, image.tag) === digestOf(image)
  }

  async publish(place: Place, image: Image): Promise<{ readonly uploadedBytes: number }> {
    const host = this.#reach(place)
    const root = runningRegistry(host.state)?.setup.storage?.filesystem?.rootdirectory ?? ''
    await host.runner().files.write(tagPath(root, image.repository, image.tag), `${digestOf(image)}\n`, { mode: '0644' })
    return { uploadedBytes: image.parts.length }
  }

  #reach(place: Place): SimulatedHost {
    const refused = (why: string) => fail('KX_REGISTRY', { registry: place.registry, what: 'a request', why })
    const host = [...this.#hosts()].find(({ state: { machine } }) => [machine.address, ...machine.otherAddresses].includes(place.address))
    const running = host?.reachable === true ? runningRegistry(host.state) : null
    if (host === undefined || running === null || !running.process.listens.some(({ port }) => port === portOf(place.registry)))
      throw refused(`connect ECONNREFUSED ${place.address}:${portOf(place.registry)}`)
    const distrust = whyDistrusted(host.state, running.setup, place)
    if (distrust !== null) throw refused(distrust)
    if (!isKnown(host.state, running.setup, place))
      throw fail('KX_REGISTRY_AUTH', { registry: place.registry, what: 'a request', why: 'it answered 401' })
    return host
  }
}

const portOf = (registry: string): number => Number(/:(\d+)$/.exec(registry)?.[1] ?? 443)
const digestOf = ({ parts }: Image): string => `sha256:${sha256(JSON.stringify(parts.map(({ arch, path }) => [arch, path]).sort()))}`

function whyDistrusted(state: HostState, { http }: RegistrySetup, { registry, authority }: Place): string | null {
  if (http?.tls?.certificate === undefined) return 'wrong version number'
  const certificate = new X509Certificate(readText(state, http.tls.certificate) ?? '')
  if (authority === null || !certificate.verify(new X509Certificate(authority).publicKey)) return 'unable to verify the first certificate'
  const name = registry.replace(/:\d+$/, '')
  return certificate.checkHost(name) === undefined ? `Hostname/IP does not match certificate's altnames: ${name}` : null
}

function isKnown(state: HostState, { auth }: RegistrySetup, { credentials }: Place): boolean {
  const path = auth?.htpasswd?.path
  if (path === undefined) return true
  if (credentials === null) return false
  const line = readText(state, path)
    ?.split('\n')
    .find((entry) => entry.startsWith(`${credentials.username}:`))
  return line !== undefined && compareSync(credentials.password.reveal(), line.slice(line.indexOf(':') + 1))
}
