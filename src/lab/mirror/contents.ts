import {
  type Arch,
  componentImages,
  crictlVersionFor,
  defaultVersion,
  etcdVersionFor,
  kubernetesImageTags,
} from '../../resource/catalogue.ts'
import type { Catalogue } from '../../resource/catalogue-schema.ts'
import { withV } from '../../resource/version.ts'
import { programSets } from './go-recipes.ts'
import { imageRecipes } from './image-recipes.ts'
import { type FileRecipe, type ImageRecipe, type ProgramSet, setId } from './recipe.ts'

/** What a mirror shall hold. */
export interface MirrorWish {
  readonly kubernetes: readonly string[]
  readonly containerd: readonly string[]
  readonly etcd: readonly string[]
  /** Components beyond the default set, by the catalogue's name. */
  readonly extras: readonly string[]
}

/** Everything a mirror makes, in the order in which it is best begun. */
export interface MirrorContents {
  readonly sets: readonly ProgramSet[]
  readonly files: readonly FileRecipe[]
  readonly images: readonly ImageRecipe[]
  /** Ids of sets that the mirror itself runs; they are built though nothing is published from them. */
  readonly servers: readonly string[]
  /** Packages of the distribution that hosts without internet install from the mirror. */
  readonly packages: readonly string[]
}

/** Both current minors, both lines of containerd, and an older etcd to upgrade from. */
export const defaultWish: MirrorWish = {
  kubernetes: ['v1.34.4', 'v1.33.4'],
  containerd: ['v2.1.4', 'v1.7.28'],
  etcd: ['v3.6.5', 'v3.5.16'],
  extras: [],
}

/** Components that are made only when asked for. */
export const extraComponents: readonly string[] = ['calico', 'cri-dockerd', 'cri-o', 'metrics-server', 'local-path-provisioner']

/** What hosts need from their distribution, and Debian has; conmon and crun are for the other container runtimes. */
const hostPackages = ({ packages }: Catalogue): readonly string[] => {
  const known = Object.entries(packages).flatMap(([name, { deb }]) => (name === 'isulad' ? [] : deb))
  return [...new Set([...known, 'curl', 'conmon', 'crun'])].sort()
}

/** The contents of a mirror for a wish: pure, so that a second run comes to the same list. */
export function mirrorContents(catalogue: Catalogue, wish: MirrorWish): MirrorContents {
  const files: FileRecipe[] = []
  const sets = new Map<string, ProgramSet>()
  const add = (name: string, version: string): string => {
    const set = recipeFor(name, version)
    sets.set(setId(set), set)
    return setId(set)
  }
  const file = (name: string, version: string, from = name, more: { alwaysBuild?: true } = {}): void => {
    files.push({ file: name, version, set: add(from, version), ...more })
  }
  for (const version of wish.kubernetes) for (const name of kubernetesFiles) file(name, version, 'kubernetes')
  for (const version of new Set([...wish.etcd, ...wish.kubernetes.map((kubernetes) => etcdVersionFor(catalogue, kubernetes))]))
    file('etcd', version)
  for (const version of wish.containerd) file('containerd', version)
  file('runc', defaultVersion(catalogue, 'runc'), 'runc', { alwaysBuild: true })
  for (const version of new Set(wish.kubernetes.map((kubernetes) => crictlVersionFor(catalogue, kubernetes)))) file('crictl', version)
  for (const name of ['cni-plugins', 'flannel', 'helm', 'registry']) file(name, defaultVersion(catalogue, name))
  file('flannel-cni-plugin', flannelPluginVersion(catalogue))
  for (const version of new Set(wish.kubernetes.map((kubernetes) => kubernetesImageTags(catalogue, kubernetes).coredns)))
    file('coredns', version)
  for (const name of ['kube-vip']) add(name, defaultVersion(catalogue, name))
  for (const tags of wish.kubernetes.map((kubernetes) => kubernetesImageTags(catalogue, kubernetes))) add('pause', withV(tags.pause))
  add('probe', 'v1')
  const servers = [add('file-server', 'v1'), add('registry', defaultVersion(catalogue, 'registry'))]
  for (const name of wish.extras) {
    if (catalogue.files[name] === undefined) add(name, defaultVersion(catalogue, name))
    else file(name, defaultVersion(catalogue, name))
  }
  return { sets: [...sets.values()], files, images: imageRecipes(catalogue, wish), servers, packages: hostPackages(catalogue) }
}

const kubernetesFiles = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet', 'kubectl', 'kubeadm']

/** The tag of the plugin's image in flannel's own manifest is also the version of its file. */
export function flannelPluginVersion(catalogue: Catalogue): string {
  const image = componentImages(catalogue, 'flannel', defaultVersion(catalogue, 'flannel'))[1] ?? ''
  return image.slice(image.lastIndexOf(':') + 1)
}

function recipeFor(name: string, version: string): ProgramSet {
  const recipe = programSets[name]
  if (recipe === undefined) throw new RangeError(`there is no recipe for ${name}`)
  return recipe(version)
}

/** The architecture of this machine: what a mirror is made for. */
export const machineArch = (): Arch => (process.arch === 'arm64' ? 'arm64' : 'amd64')
