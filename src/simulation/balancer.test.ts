import { beforeEach, describe, expect, it } from 'vitest'
import type { Runner } from '../runner/index.ts'
import { SimulatedHost } from './host.ts'
import { SimulatedRegistries } from './registries.ts'

let host: SimulatedHost
let on: Runner
beforeEach(async () => {
  host = new SimulatedHost({ address: '192.0.2.1' })
  on = host.runner()
})

/** Starts a service with a configuration, and gives what it says if it does not come up. */
async function lastWords(unit: string, path: string, text: string): Promise<string | null> {
  await on.files.write(path, text, { mode: '0644' })
  await on.services.reloadUnits()
  return on.services.restart(unit).then(
    () => null,
    (error: { readonly seen?: string; readonly cause?: Error }) => error.cause?.message ?? error.seen ?? '',
  )
}

describe('haproxy', () => {
  beforeEach(() => on.packages.install(['haproxy']))
  it.each([
    ['a user nobody knows', 'global\n    user nobodyelse\n', /cannot find user id/],
    ['a backend that is not there', 'frontend a\n    bind *:80\n    default_backend b\n', /unable to find required default_backend/],
    ['nothing wrong', 'frontend a\n    bind :::80 v4v6\n    default_backend b\nbackend b\n', null],
  ])('with %s', async (_, text, expected) => {
    const said = await lastWords('haproxy', '/etc/haproxy/haproxy.cfg', text)
    if (expected === null) expect(said).toBeNull()
    else expect(said).toMatch(expected)
  })
})

describe('nginx', () => {
  beforeEach(() => on.packages.install(['nginx-light']))
  const stream = 'include /etc/nginx/modules-enabled/*.conf;\nstream {\n  server { \n  listen 6443;\n }\n}\n'
  it('serves everybody as soon as it is installed', () => {
    expect(host.state.units.get('nginx.service')?.process?.listens).toEqual([{ protocol: 'tcp', address: '0.0.0.0', port: 80 }])
  })
  it('needs the module its directives come from', async () => {
    expect(await lastWords('nginx', '/etc/nginx/nginx.conf', stream)).toContain('unknown directive "stream"')
    await on.packages.install(['libnginx-mod-stream'])
    expect(await lastWords('nginx', '/etc/nginx/nginx.conf', stream)).toBeNull()
  })
  it.each([
    ['a block that does not end', 'http {\n', /expecting "}"/],
    ['a user nobody knows', 'user nobodyelse;\n', /getpwnam/],
  ])('refuses %s', async (_, text, expected) => expect(await lastWords('nginx', '/etc/nginx/nginx.conf', text)).toMatch(expected))
})

describe('keepalived', () => {
  const conf = '/etc/keepalived/keepalived.conf'
  it('is not started without a configuration, where the distribution says so', async () => {
    await on.packages.install(['keepalived'])
    expect(await on.inspect([{ kind: 'unit', name: 'keepalived' }])).toMatchObject([{ active: 'inactive', enabled: 'enabled' }])
  })
  it.each([
    ['a user nobody knows', 'global_defs {\n  script_user nobodyelse\n}\n', /script_user/],
    ['a check that is not there', 'vrrp_script a {\n  script "/nothing"\n}\n', /not executable or does not exist/],
    ['a block that does not end', 'global_defs {\n', /Missing '}'/],
  ])('refuses %s', async (_, text, expected) => {
    await on.packages.install(['keepalived'])
    expect(await lastWords('keepalived', conf, text)).toMatch(expected)
  })
})

it('a registry nobody runs refuses the connection', async () => {
  const registries = new SimulatedRegistries(() => [host])
  const place = { registry: 'hub.example.com', address: '192.0.2.1', authority: null, credentials: null }
  await expect(registries.has(place, { repository: 'a', tag: 'v1', parts: [] })).rejects.toMatchObject({ code: 'KX_REGISTRY' })
})
