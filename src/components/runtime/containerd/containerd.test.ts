import { parse } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { conforms } from '../../../../test/conformance/conforms.ts'
import { oneHost, withRegistries } from '../../../../test/support/clusters.ts'
import { containerd } from './index.ts'
import { type ContainerdSettings, containerdConfigToml, containerdUnit } from './templates.ts'

conforms(containerd, { ...oneHost(withRegistries.spec), secrets: withRegistries.secrets })

const settings: ContainerdSettings = {
  version: '2.1.4',
  root: '/var/lib/containerd',
  state: '/run/containerd',
  pause: 'registry.k8s.io/pause:3.10',
  systemdCgroup: true,
  hostsDirectory: '/etc/containerd/certs.d',
  disabledPlugins: [],
  requiredPlugins: [],
  imports: [],
  auths: { 'hub.example.com': { username: 'robot', password: 'x' } },
  extra: {},
}

type Config = { version: number; plugins: Record<string, Record<string, Record<string, unknown>>> }
const read = (over: Partial<ContainerdSettings>): Config => parse(containerdConfigToml({ ...settings, ...over })) as unknown as Config

describe('config.toml', () => {
  it('is of version 3 for containerd 2, with images and runtime apart', () => {
    const config = read({})
    expect(config.version).toBe(3)
    expect(config.plugins['io.containerd.cri.v1.images']).toMatchObject({
      pinned_images: { sandbox: 'registry.k8s.io/pause:3.10' },
      registry: { config_path: '/etc/containerd/certs.d', configs: { 'hub.example.com': { auth: { username: 'robot' } } } },
    })
    expect(config.plugins['io.containerd.cri.v1.runtime']).toMatchObject({
      containerd: { runtimes: { runc: { options: { SystemdCgroup: true } } } },
    })
  })

  it('is of version 2 for containerd 1.7', () => {
    const config = read({ version: '1.7.28', systemdCgroup: false })
    expect(config.version).toBe(2)
    expect(config.plugins['io.containerd.grpc.v1.cri']).toMatchObject({
      sandbox_image: 'registry.k8s.io/pause:3.10',
      containerd: { runtimes: { runc: { options: { SystemdCgroup: false } } } },
    })
  })

  it('takes the overlay last, map by map', () => {
    const config = read({ extra: { plugins: { 'io.containerd.cri.v1.images': { pinned_images: { sandbox: 'mine' } } } } })
    expect(config.plugins['io.containerd.cri.v1.images']).toMatchObject({
      pinned_images: { sandbox: 'mine' },
      registry: { config_path: '/etc/containerd/certs.d' },
    })
  })
})

it('the unit keeps containers alive when the daemon restarts', () => {
  expect(containerdUnit()).toContain('\nKillMode=process\n')
  expect(containerdUnit()).toMatch(/^\[Unit\]\n/)
})
