import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { htpasswd, registryConfigYml } from '../../src/components/registry/registry/templates.ts'
import { createPki, memoryStore } from '../../src/pki/index.ts'
import type { RegistryPlace } from '../../src/resource/index.ts'
import { eventually } from '../../src/util/eventually.ts'
import { Secret } from '../../src/util/secret.ts'
import { seconds } from '../../src/util/time.ts'
import { clusterOf } from './clusters.ts'

/** The real registry program with the files kubexm writes for it, on loopback: as the registry host of a cluster runs it. */
export async function ownRegistry(program: string, directory: string): Promise<AsyncDisposable & { readonly place: RegistryPlace }> {
  const port = await freePort()
  const cluster = clusterOf(`apiVersion: kubexm.mensylisir.io/v1alpha1
kind: Cluster
metadata: {name: test}
spec:
  hosts:
  - {name: node1, address: 192.0.2.1, privateKeyPath: ~/.ssh/id_ed25519}
  - {name: node2, address: 192.0.2.2, privateKeyPath: ~/.ssh/id_ed25519}
  roleGroups: {master: [node1], worker: [node1], registry: [node2]}
  registry: {registryConfig: {port: ${port}}}
`)
  const pki = createPki({ cluster, store: memoryStore() })
  const [leaf, password] = await Promise.all([pki.leaf('registry', 'node2'), pki.password('registry')])
  const at = (name: string): string => join(directory, name)
  await mkdir(at('data'), { recursive: true })
  const files = { dataDirectory: at('data'), certificate: at('registry.crt'), key: at('registry.key'), users: at('htpasswd') }
  await Promise.all([
    writeFile(files.certificate, leaf.cert),
    writeFile(files.key, leaf.key.reveal(), { mode: 0o600 }),
    writeFile(files.users, htpasswd('kubexm', password.reveal())),
    writeFile(at('config.yml'), registryConfigYml({ port, ...files })),
  ])
  const child = spawn(program, ['serve', at('config.yml')], { stdio: 'ignore', env: { OTEL_TRACES_EXPORTER: 'none' } })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const up = await eventually(() => answers(port), { every: 50, within: seconds(20), signal: new AbortController().signal })
  if (up === null) throw new Error(`the registry does not answer on port ${port}`)
  const { cert } = await pki.authority('kubernetes')
  return {
    place: {
      registry: `dockerhub.kubexm.local:${port}`,
      address: '127.0.0.1',
      authority: cert,
      credentials: { username: 'kubexm', password: new Secret(password.reveal()) },
    },
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

const answers = (port: number): Promise<true | null> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(null))
  })
