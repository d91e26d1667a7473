import { expect, test } from 'vitest'
import { builtInCatalogue as catalogue, catalogueFile, kubernetesImageTags } from '../../resource/catalogue.ts'
import { defaultWish, extraComponents, mirrorContents } from './contents.ts'
import { mirroredFile, mirroredImage, mirrorLayout } from './layout.ts'
import { programsOf, setId } from './recipe.ts'

const everything = mirrorContents(catalogue, { ...defaultWish, extras: extraComponents })

test('everything is made of programs the mirror builds, and of those that the set really has', () => {
  const sets = new Map(everything.sets.map((set) => [setId(set), new Set(programsOf(set))]))
  for (const file of everything.files) {
    const programs = sets.get(file.set)
    expect(programs, file.file).toBeDefined()
    const { kind, name, programs: members } = catalogueFile(catalogue, file.file, file.version, 'amd64')
    const needed = kind === 'binary' ? [name] : members.map((member) => member.slice(member.lastIndexOf('/') + 1).replace(/-amd64$/, ''))
    // CRI-O's helpers are not Go: they come from the distribution, not from here.
    expect(
      needed.filter((program) => programs?.has(program) !== true && !['conmon', 'crun', 'pinns'].includes(program)),
      file.file,
    ).toEqual([])
  }
  for (const { image, set, layers } of everything.images) {
    const programs = layers.flatMap((layer) => Object.values(layer.programs ?? {}))
    expect(
      programs.filter((program) => set === null || sets.get(set)?.has(program) !== true),
      image,
    ).toEqual([])
  }
})

test('what kubeadm of each version expects is there, under its own names', () => {
  const images = new Set(everything.images.map(({ image }) => image))
  for (const version of defaultWish.kubernetes) {
    const { pause, etcd, coredns } = kubernetesImageTags(catalogue, version)
    const expected = [
      ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy'].map((name) => `${name}:${version}`),
      `pause:${pause}`,
      `etcd:${etcd}`,
      `coredns/coredns:${coredns}`,
    ]
    expect(
      expected.filter((name) => !images.has(`registry.k8s.io/${name}`)),
      version,
    ).toEqual([])
  }
})

test('no two things share a place, and another version asked for brings its own', () => {
  const layout = mirrorLayout('/cache')
  const places = [
    ...everything.files.map(({ file, version }) => mirroredFile(layout, catalogueFile(catalogue, file, version, 'amd64').url)),
    ...everything.images.map(({ image }) => mirroredImage(layout, image)),
  ]
  expect(new Set(places).size).toBe(places.length)
  expect(places).toContain('/cache/mirror/files/dl.k8s.io/release/v1.33.4/bin/linux/amd64/kubelet')
  expect(places).toContain('/cache/mirror/images/registry.k8s.io/coredns/coredns/v1.12.1.tar')
  const other = mirrorContents(catalogue, { ...defaultWish, kubernetes: ['v1.32.4'] })
  expect(other.sets.map(setId)).toEqual(expect.arrayContaining(['kubernetes@v1.32.4', 'etcd@v3.5.16', 'coredns@v1.11.3']))
})
