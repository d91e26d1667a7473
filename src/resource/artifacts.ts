import {
  type Arch,
  type CatalogueFile,
  catalogueFile,
  componentImages,
  crictlVersionFor,
  defaultVersion,
  etcdVersionFor,
  kubernetesImageTags,
} from './catalogue.ts'
import type { Catalogue } from './catalogue-schema.ts'
import { withV } from './version.ts'

type Role = 'etcd' | 'master' | 'worker' | 'registry' | 'loadbalancer'

/** As much of a cluster as decides what it needs; the real one is wider. */
export interface ClusterShape {
  readonly kubernetesVersion: string
  readonly kubernetesType: 'kubexm' | 'kubeadm'
  readonly etcdType: 'kubexm' | 'kubeadm' | 'external'
  readonly etcdVersion?: string
  readonly runtime: { readonly type: 'containerd' | 'docker' | 'cri-o' | 'isulad'; readonly version?: string; readonly nerdctl?: boolean }
  /** The image of the pause container where it is not the one of the Kubernetes version. */
  readonly pauseImage?: string
  /** The catalogue's name of the network plugin, or null. */
  readonly cni: { readonly plugin: string; readonly version?: string } | null
  readonly externalLoadBalancer: 'kubexm-kh' | 'kubexm-kn' | 'external' | ''
  readonly internalLoadBalancer: 'haproxy' | 'nginx' | 'kube-vip' | ''
  /** The image of the internal load balancer where it is not the catalogue's. */
  readonly balancerImage?: string
  readonly registry: 'registry' | 'harbor' | 'external' | 'none'
  readonly registryVersion?: string
  /** Whether the clocks of the hosts are kept together. */
  readonly timeSync?: boolean
  /** Built-in addons by the catalogue's name; others bring their own charts and manifests. */
  readonly addons: readonly string[]
  /** Charts and manifests by address, and images the user names besides. */
  readonly extra?: {
    readonly charts?: readonly { readonly name: string; readonly version: string; readonly url: string; readonly sha256?: string }[]
    readonly manifests?: readonly { readonly name: string; readonly url: string; readonly sha256?: string }[]
    readonly images?: readonly string[]
    readonly packages?: readonly { readonly name: string; readonly deb: readonly string[]; readonly rpm: readonly string[] }[]
  }
  readonly hosts: readonly { readonly name: string; readonly roles: readonly Role[]; readonly arch: Arch }[]
}

interface Common {
  /** Stable and unique in a list: `kubelet/v1.34.4/amd64`. */
  readonly id: string
  /** The hosts that need it. */
  readonly hosts: readonly string[]
}

/** One thing a cluster needs, for one architecture, and the hosts it goes to. */
export type Artifact = Common &
  (
    | { readonly kind: 'binary' | 'archive'; readonly file: CatalogueFile }
    | { readonly kind: 'image'; readonly image: string; readonly arch: Arch }
    | { readonly kind: 'chart'; readonly name: string; readonly version: string; readonly url: string; readonly sha256: string | null }
    | { readonly kind: 'manifest'; readonly name: string; readonly url: string; readonly sha256: string | null }
    /** Installed by the host's own package manager: named here, and got from the sources the host has. */
    | { readonly kind: 'package'; readonly name: string; readonly deb: readonly string[]; readonly rpm: readonly string[] }
    /** The file of a package for the hosts of one distribution, such as `debian-12`: only a bundle brings these. */
    | { readonly kind: 'package-file'; readonly os: string; readonly fileName: string }
  )

/** Everything a cluster needs: pure, sorted, each thing once for each architecture that needs it. */
export function artifactsFor(cluster: ClusterShape, catalogue: Catalogue): readonly Artifact[] {
  const list = new ArtifactList(cluster, catalogue)
  addKubernetes(list, cluster, catalogue)
  addEtcd(list, cluster, catalogue)
  addRuntime(list, cluster, catalogue)
  addNetwork(list, cluster)
  addLoadBalancers(list, cluster)
  addRegistry(list, cluster, catalogue)
  for (const addon of cluster.addons) if (catalogue.components[addon] !== undefined) list.component(addon, nodes)
  if (cluster.timeSync === true) list.packages('time', everyone)
  addExtra(list, cluster)
  return list.sorted()
}

const masters: readonly Role[] = ['master']
const nodes: readonly Role[] = ['master', 'worker']
const everyone: readonly Role[] = ['etcd', 'master', 'worker', 'registry', 'loadbalancer']

class ArtifactList {
  readonly #cluster: ClusterShape
  readonly #catalogue: Catalogue
  readonly #found = new Map<string, Artifact>()

  constructor(cluster: ClusterShape, catalogue: Catalogue) {
    this.#cluster = cluster
    this.#catalogue = catalogue
  }

  file(name: string, version: string, roles: readonly Role[]): void {
    for (const [arch, hosts] of this.#byArch(roles)) {
      const file = catalogueFile(this.#catalogue, name, version, arch)
      this.add({ id: `${name}/${version}/${arch}`, kind: file.kind, file, hosts })
    }
  }

  image(image: string, roles: readonly Role[]): void {
    for (const [arch, hosts] of this.#byArch(roles)) this.add({ id: `${image}/${arch}`, kind: 'image', image, arch, hosts })
  }

  component(name: string, roles: readonly Role[], version = defaultVersion(this.#catalogue, name)): void {
    for (const image of componentImages(this.#catalogue, name, version)) this.image(image, roles)
  }

  packages(name: string, roles: readonly Role[]): void {
    const { deb, rpm } = this.#catalogue.packages[name] ?? { deb: [name], rpm: [name] }
    this.packageNames(name, deb, rpm, roles)
  }

  packageNames(name: string, deb: readonly string[], rpm: readonly string[], roles: readonly Role[]): void {
    const hosts = this.#cluster.hosts.filter((host) => host.roles.some((role) => roles.includes(role))).map((host) => host.name)
    if (hosts.length > 0) this.add({ id: `package/${name}`, kind: 'package', name, deb, rpm, hosts })
  }

  /** The same thing wanted for two reasons goes to the hosts of both. */
  add(artifact: Artifact): void {
    const known = this.#found.get(artifact.id)
    const hosts = known === undefined ? artifact.hosts : [...new Set([...known.hosts, ...artifact.hosts])]
    this.#found.set(artifact.id, { ...artifact, hosts })
  }

  #byArch(roles: readonly Role[]): readonly (readonly [Arch, readonly string[]])[] {
    const wanted = this.#cluster.hosts.filter((host) => host.roles.some((role) => roles.includes(role)))
    return (['amd64', 'arm64'] as const)
      .map((arch) => [arch, wanted.filter((host) => host.arch === arch).map((host) => host.name)] as const)
      .filter(([, hosts]) => hosts.length > 0)
  }

  sorted(): readonly Artifact[] {
    return [...this.#found.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }
}

function addKubernetes(
  list: ArtifactList,
  { kubernetesType, kubernetesVersion: version, etcdType, pauseImage }: ClusterShape,
  catalogue: Catalogue,
): void {
  const tags = kubernetesImageTags(catalogue, version)
  list.file('kubelet', version, nodes)
  list.image(pauseImage ?? `registry.k8s.io/pause:${tags.pause}`, nodes)
  list.image(`registry.k8s.io/coredns/coredns:${tags.coredns}`, nodes)
  list.packages('node', nodes)
  list.file('kubectl', version, kubernetesType === 'kubeadm' ? nodes : masters)
  if (kubernetesType === 'kubexm') {
    for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler']) list.file(name, version, masters)
    list.file('kube-proxy', version, nodes)
    return
  }
  list.file('kubeadm', version, nodes)
  for (const name of ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'])
    list.image(`registry.k8s.io/${name}:${version}`, masters)
  list.image(`registry.k8s.io/kube-proxy:${version}`, nodes)
  if (etcdType === 'kubeadm') list.image(`registry.k8s.io/etcd:${tags.etcd}`, masters)
}

function addEtcd(list: ArtifactList, cluster: ClusterShape, catalogue: Catalogue): void {
  if (cluster.etcdType === 'kubexm')
    list.file('etcd', withV(cluster.etcdVersion ?? etcdVersionFor(catalogue, cluster.kubernetesVersion)), ['etcd'])
}

function addRuntime(list: ArtifactList, { runtime, kubernetesVersion }: ClusterShape, catalogue: Catalogue): void {
  const wanted = (name: string): string => withV(runtime.version ?? defaultVersion(catalogue, name))
  list.file('crictl', crictlVersionFor(catalogue, kubernetesVersion), nodes)
  list.file('cni-plugins', defaultVersion(catalogue, 'cni-plugins'), nodes)
  if (runtime.type === 'containerd') {
    list.file('containerd', wanted('containerd'), nodes)
    list.file('runc', defaultVersion(catalogue, 'runc'), nodes)
    if (runtime.nerdctl === true) list.file('nerdctl', defaultVersion(catalogue, 'nerdctl'), nodes)
  } else if (runtime.type === 'docker') {
    list.packages('docker', nodes)
    list.file('cri-dockerd', defaultVersion(catalogue, 'cri-dockerd'), nodes)
  } else if (runtime.type === 'cri-o') list.file('cri-o', wanted('cri-o'), nodes)
  else list.packages('isulad', nodes)
  list.file('helm', defaultVersion(catalogue, 'helm'), masters)
}

function addNetwork(list: ArtifactList, { cni }: ClusterShape): void {
  if (cni !== null) list.component(cni.plugin, nodes, cni.version)
}

function addLoadBalancers(list: ArtifactList, { externalLoadBalancer, internalLoadBalancer, balancerImage }: ClusterShape): void {
  const balancer: readonly Role[] = ['loadbalancer']
  if (externalLoadBalancer === 'kubexm-kh' || externalLoadBalancer === 'kubexm-kn') {
    list.packages('keepalived', balancer)
    list.packages(externalLoadBalancer === 'kubexm-kh' ? 'haproxy' : 'nginx', balancer)
  }
  if (internalLoadBalancer === '') return
  const roles = internalLoadBalancer === 'kube-vip' ? masters : nodes
  if (balancerImage === undefined) list.component(internalLoadBalancer, roles)
  else list.image(balancerImage, roles)
}

function addRegistry(list: ArtifactList, { registry, registryVersion }: ClusterShape, catalogue: Catalogue): void {
  if (registry === 'registry') list.file('registry', withV(registryVersion ?? defaultVersion(catalogue, 'registry')), ['registry'])
  // Harbor runs as containers of Docker, whatever runs the pods.
  if (registry === 'harbor') {
    list.packages('docker', ['registry'])
    list.file('docker-compose', defaultVersion(catalogue, 'docker-compose'), ['registry'])
    list.file('harbor', defaultVersion(catalogue, 'harbor'), ['registry'])
  }
}

function addExtra(list: ArtifactList, { extra = {}, hosts }: ClusterShape): void {
  const controlPlane = hosts.filter((host) => host.roles.includes('master')).map((host) => host.name)
  for (const chart of extra.charts ?? [])
    list.add({
      id: `chart/${chart.name}/${chart.version}`,
      kind: 'chart',
      name: chart.name,
      version: chart.version,
      url: chart.url,
      sha256: chart.sha256 ?? null,
      hosts: controlPlane,
    })
  for (const manifest of extra.manifests ?? [])
    list.add({
      id: `manifest/${manifest.name}`,
      kind: 'manifest',
      name: manifest.name,
      url: manifest.url,
      sha256: manifest.sha256 ?? null,
      hosts: controlPlane,
    })
  for (const image of extra.images ?? []) list.image(image, nodes)
  for (const { name, deb, rpm } of extra.packages ?? []) list.packageNames(name, deb, rpm, everyone)
}
