import { Content } from './content.ts'
import { portsOfUrls } from './daemon.ts'
import { readText, writeFile } from './files.ts'
import { type DaemonModel, type HostState, type Process, processesOf } from './state.ts'
import { entryAt } from './tree.ts'
import { readYaml } from './yaml.ts'

/** As much of a registry's configuration as decides how it behaves. */
export interface RegistrySetup {
  readonly storage?: { readonly filesystem?: { readonly rootdirectory?: string } }
  readonly http?: { readonly addr?: string; readonly tls?: { readonly certificate?: string; readonly key?: string } }
  readonly auth?: { readonly htpasswd?: { readonly realm?: string; readonly path?: string } }
}

/** The registry program: it reads its configuration, its certificate and its users, and listens. */
export const registryDaemon: DaemonModel = ({ argv, state }) => {
  const path = argv.find((word) => /\.ya?ml$/.test(word)) ?? ''
  const text = readText(state, path)
  if (text === null) return { dies: `configuration error: open ${path}: no such file or directory` }
  const { http = {}, auth, storage } = readYaml(text) as RegistrySetup
  if (storage?.filesystem?.rootdirectory === undefined) return { dies: 'configuration error: no storage configuration provided' }
  const address = http.addr ?? ':5000'
  for (const file of [http.tls?.certificate, http.tls?.key]) {
    if (file !== undefined && entryAt(state.root, file) === null) return { dies: `open ${file}: no such file or directory` }
  }
  const listens = portsOfUrls(`http://${address.startsWith(':') ? `0.0.0.0${address}` : address}`, 5000)
  const users = auth?.htpasswd?.path
  if (users === undefined) return { listens }
  if (auth?.htpasswd?.realm === undefined) return { dies: 'unable to configure authorization (htpasswd): "realm" must be set' }
  // Where there are no users it makes one of its own, with a password that it tells its log.
  const ready =
    entryAt(state.root, users) === null ? writeFile(state, users, new Content('docker:$2y$05$simulated\n'), { mode: '0600' }) : state
  return { listens, state: ready }
}

/** Where a registry keeps what a tag stands for. */
export const tagPath = (root: string, repository: string, tag: string): string =>
  `${root}/docker/registry/v2/repositories/${repository}/_manifests/tags/${tag}/current/link`

/** The registry that runs on a host, and how it is set up. */
export function runningRegistry(state: HostState): { readonly process: Process; readonly setup: RegistrySetup } | null {
  const process = processesOf(state).find(({ name }) => name === 'registry')
  const text = readText(state, process?.argv.find((word) => /\.ya?ml$/.test(word)) ?? '/nothing')
  return process === undefined || text === null ? null : { process, setup: readYaml(text) as RegistrySetup }
}

/** What the registry on a host holds under a name; null where it holds nothing, or none runs there. */
export function heldDigest(state: HostState, repository: string, tag: string): string | null {
  const root = runningRegistry(state)?.setup.storage?.filesystem?.rootdirectory
  return root === undefined ? null : (readText(state, tagPath(root, repository, tag))?.trim() ?? null)
}
