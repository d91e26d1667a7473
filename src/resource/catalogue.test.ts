import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  builtInCatalogue as catalogue,
  catalogueFile,
  chooseOrigin,
  componentImages,
  containerdMismatch,
  defaultVersion,
  etcdVersionFor,
  kubernetesImageTags,
  locate,
  locateImage,
  type Origin,
  originFromEnvironment,
} from './catalogue.ts'
import { loadCatalogue, mergeCatalogue, parseOverride } from './catalogue-load.ts'
import { catalogueSchema } from './catalogue-schema.ts'

test('the built-in catalogue has the shape a user may extend', () => {
  expect(catalogueSchema.parse(catalogue)).toEqual(catalogue)
})

test('every component with a file of its own name can be resolved for both architectures it is made for', () => {
  for (const [name, row] of Object.entries(catalogue.files)) {
    const version = catalogue.components[name] === undefined ? 'v1.2.3' : defaultVersion(catalogue, name)
    for (const arch of row.arches ?? (['amd64', 'arm64'] as const)) {
      const file = catalogueFile(catalogue, name, version, arch)
      expect(`${file.url} ${file.checksumUrl ?? ''} ${file.programs.join(' ')}`, name).not.toMatch(/[{}]/)
    }
  }
})

// As kubeadm's own constants of these releases have them.
test.each([
  ['v1.30.4', '3.9', '3.5.12-0', 'v1.11.1'],
  ['v1.30.14', '3.9', '3.5.15-0', 'v1.11.3'],
  ['v1.31.0', '3.10', '3.5.15-0', 'v1.11.1'],
  ['v1.31.13', '3.10', '3.5.15-0', 'v1.11.3'],
  ['v1.31.14', '3.10', '3.5.24-0', 'v1.11.3'],
  ['v1.32.9', '3.10', '3.5.16-0', 'v1.11.3'],
  ['v1.32.10', '3.10', '3.5.24-0', 'v1.11.3'],
  ['v1.33.4', '3.10', '3.5.21-0', 'v1.12.0'],
  ['v1.33.6', '3.10', '3.5.24-0', 'v1.12.0'],
  ['v1.34.1', '3.10.1', '3.6.4-0', 'v1.12.1'],
  ['v1.34.4', '3.10.1', '3.6.5-0', 'v1.12.1'],
  ['v1.35.4', '3.10.1', '3.6.6-0', 'v1.13.1'],
  ['v1.36.3', '3.10.2', '3.6.8-0', 'v1.14.2'],
  ['v1.37.1', '3.10.2', '3.7.0-0', 'v1.14.6'],
])('Kubernetes %s goes with pause %s, etcd %s, coredns %s', (version, pause, etcd, coredns) => {
  expect(kubernetesImageTags(catalogue, version)).toMatchObject({ pause, etcd, coredns })
})

test('etcd as a binary is the release of the image', () => {
  expect(etcdVersionFor(catalogue, 'v1.33.4')).toBe('v3.5.21')
})

test('a Kubernetes nobody knows is an error that names the known ones', () => {
  expect(() => kubernetesImageTags(catalogue, 'v1.12.0')).toThrow(
    expect.objectContaining({ code: 'KX_CATALOGUE_MISSING', fix: expect.stringContaining('v1.34') }),
  )
  expect(() => catalogueFile(catalogue, 'harbor', 'v2.13.2', 'arm64')).toThrow(expect.objectContaining({ code: 'KX_CATALOGUE_MISSING' }))
})

test.each([
  ['1.7.28', 'v1.34.4', true],
  ['1.7.6', 'v1.32.4', false],
  ['v2.1.4', 'v1.33.4', true],
  ['1.7.28', 'v1.36.0', false],
  ['2.5.0', 'v1.36.0', true],
  ['1.6.36', 'v1.33.4', false],
])('containerd %s with Kubernetes %s: %s', (containerd, kubernetes, good) => {
  expect(containerdMismatch(catalogue, containerd, kubernetes) === null).toBe(good)
})

test('a component brings the versions of its parts', () => {
  expect(componentImages(catalogue, 'flannel', 'v0.26.7')).toEqual([
    'ghcr.io/flannel-io/flannel:v0.26.7',
    'ghcr.io/flannel-io/flannel-cni-plugin:v1.6.2-flannel1',
  ])
})

describe('where things are fetched from', () => {
  const url = 'https://dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubelet'
  test.each([
    ['the publisher', {}, url],
    ['a mirror', { mirror: 'http://10.0.0.1:8080/files/' }, 'http://10.0.0.1:8080/files/dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubelet'],
    ['KMZONE=cn', originFromEnvironment({ KMZONE: 'cn' }), 'https://files.m.daocloud.io/dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubelet'],
    ['a mirror wins over a zone', { mirror: 'http://m', zone: 'cn' }, 'http://m/dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubelet'],
    ['KMZONE empty', originFromEnvironment({ KMZONE: '' }), url],
  ])('%s', (_, origin, expected) => {
    expect(locate(catalogue, url, origin)).toBe(expected)
  })
  test.each([
    ['registry.k8s.io/pause:3.10', { zone: 'cn' }, 'registry.aliyuncs.com/google_containers/pause:3.10'],
    ['registry.k8s.io/coredns/coredns:v1.12.1', { zone: 'cn' }, 'registry.aliyuncs.com/google_containers/coredns:v1.12.1'],
    ['docker.io/calico/node:v3.28.5', { zone: 'cn' }, 'm.daocloud.io/docker.io/calico/node:v3.28.5'],
    ['example.org/a/b:1', { zone: 'cn' }, 'example.org/a/b:1'],
    ['docker.io/calico/node:v3.28.5', { imageMirror: '10.0.0.1:5000' }, '10.0.0.1:5000/calico/node:v3.28.5'],
    ['docker.io/calico/node:v3.28.5', { imageMirror: 'http://10.0.0.1:5000/' }, '10.0.0.1:5000/calico/node:v3.28.5'],
  ])('%s', (image, origin, expected) => {
    expect(locateImage(catalogue, image, origin)).toBe(expected)
  })
  test.each([
    ['the command line alone', [{ mirror: 'http://a' }], { mirror: 'http://a' }],
    ['a zone asked for beats a mirror of the environment', [{ zone: 'cn' }, { mirror: 'http://b', imageMirror: 'b:1' }], { zone: 'cn' }],
    ['a mirror asked for leaves images to the zone', [{ mirror: 'http://a' }, { zone: 'cn' }], { mirror: 'http://a', zone: 'cn' }],
    ['each in its own right', [{ imageMirror: 'a:1' }, { mirror: 'http://b' }], { imageMirror: 'a:1', mirror: 'http://b' }],
    ['the config when nobody else says anything', [{}, {}, { mirror: 'http://c' }], { mirror: 'http://c' }],
  ])('%s', (_, wishes: Origin[], expected) => {
    expect(chooseOrigin(...wishes)).toEqual(expected)
  })
  test('an unknown zone is an error', () => {
    expect(() => locate(catalogue, url, { zone: 'moon' })).toThrow(expect.objectContaining({ code: 'KX_CATALOGUE_MISSING' }))
  })
})

describe("a user's own catalogue", () => {
  test('changes fields, adds rows and checksums, and leaves the rest', () => {
    const override = parseOverride(
      `files:\n  kubelet: { url: "https://own/{version}/{arch}/kubelet" }\n  tool: { kind: binary, folder: tools, url: "https://own/tool-{number}", checksum: null }\nkubernetes:\n  images: [{ since: v1.34.4, pause: "4", etcd: 3.6.5-0, coredns: v1.12.1 }]\nchecksums: { "https://own/tool-1.0.0": ${'c'.repeat(64)} }\n`,
      'own.yaml',
    )
    const merged = mergeCatalogue(catalogue, override, 'own.yaml')
    expect(catalogueFile(merged, 'kubelet', 'v1.34.4', 'arm64')).toMatchObject({
      url: 'https://own/v1.34.4/arm64/kubelet',
      checksumUrl: 'https://own/v1.34.4/arm64/kubelet.sha256',
    })
    expect(catalogueFile(merged, 'tool', 'v1.0.0', 'amd64').sha256).toBe('c'.repeat(64))
    expect(kubernetesImageTags(merged, 'v1.34.4').pause).toBe('4')
    expect(kubernetesImageTags(merged, 'v1.34.3').pause).toBe('3.10.1')
    expect(merged.files.kubeadm).toEqual(catalogue.files.kubeadm)
  })

  test.each([
    ['an unknown key', 'fils: {}', /fils/],
    ['a new row that is not whole', 'files: { tool: { kind: binary } }', /files\.tool\.url/],
    ['a checksum that is none', 'checksums: { "https://x": abc }', /64 lower-case hex/],
    ['no YAML', '{', /./],
  ])('%s is told', (_, text, why) => {
    expect(() => mergeCatalogue(catalogue, parseOverride(text, 'own.yaml'), 'own.yaml')).toThrow(
      expect.objectContaining({ code: 'KX_CATALOGUE', message: expect.stringMatching(why) }),
    )
  })

  test('a named file must exist', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'kubexm-catalogue-'))
    await expect(loadCatalogue(join(directory, 'none.yaml'))).rejects.toMatchObject({ code: 'KX_CATALOGUE' })
    await writeFile(join(directory, 'own.yaml'), 'components: { helm: { default: v9.9.9 } }')
    expect(defaultVersion(await loadCatalogue(join(directory, 'own.yaml')), 'helm')).toBe('v9.9.9')
    await rm(directory, { recursive: true })
  })
})
