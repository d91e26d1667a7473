import { componentImages, defaultVersion, etcdVersionFor, kubernetesImageTags } from '../../resource/catalogue.ts'
import type { Catalogue } from '../../resource/catalogue-schema.ts'
import { withV } from '../../resource/version.ts'
import type { ImageRecipe, LayerRecipe } from './recipe.ts'

/** What every image of one static program has besides it. */
const small: LayerRecipe = { directories: { tmp: 0o1777, etc: 0o755, run: 0o755 } }

const iptablesNames = ['iptables', 'iptables-save', 'iptables-restore', 'ip6tables', 'ip6tables-save', 'ip6tables-restore']

/** A small userland with the programs that change a host's packet filter: for kube-proxy and flannel. */
const networkTools: LayerRecipe = {
  packages: ['iptables', 'nftables', 'conntrack', 'ipset', 'kmod', 'busybox-static'],
  // The distribution would choose by its alternatives system in a maintainer script; the nft variant is its default.
  links: Object.fromEntries(iptablesNames.map((name) => [`usr/sbin/${name}`, 'xtables-nft-multi'])),
  directories: { tmp: 0o1777, run: 0o755, root: 0o700, 'var/lib': 0o755 },
}

/** The users that the programs' own configurations name. */
const users = [
  ['root', 0],
  ['www-data', 33],
  ['haproxy', 99],
  ['nginx', 101],
  ['nobody', 65534],
] as const

const packaged = (...packages: readonly string[]): LayerRecipe => ({
  packages: [...packages, 'busybox-static'],
  texts: {
    'etc/passwd': users.map(([name, id]) => `${name}:x:${id}:${id}:${name}:/:/bin/false\n`).join(''),
    'etc/group': users.map(([name, id]) => `${name}:x:${id}:\n`).join(''),
  },
  directories: {
    tmp: 0o1777,
    run: 0o755,
    root: 0o700,
    'var/lib/haproxy': 0o755,
    'var/lib/nginx': 0o755,
    'var/log/nginx': 0o755,
    'usr/local/etc/haproxy': 0o755,
  },
})

const one = (image: string, set: string, path: string, program: string, base: LayerRecipe = small): ImageRecipe => ({
  image,
  set,
  layers: [base, { programs: { [path]: program } }],
  config: { Entrypoint: [`/${path}`] },
})

/** The images of a mirror: those kubeadm expects, the network's, the load balancers' and the lab's own. */
export function imageRecipes(
  catalogue: Catalogue,
  wish: { readonly kubernetes: readonly string[]; readonly extras: readonly string[] },
): readonly ImageRecipe[] {
  const recipes = [
    ...wish.kubernetes.flatMap((version) => kubernetesImages(catalogue, version)),
    ...flannelImages(catalogue),
    ...loadBalancerImages(catalogue),
    ...componentImages(catalogue, 'registry', defaultVersion(catalogue, 'registry')).map((image) => registryImage(catalogue, image)),
    one('kubexm.local/lab/probe:v1', 'probe@v1', 'probe', 'probe', networkTools),
    busybox(catalogue),
    ...wish.extras.flatMap((name) => extraImages(catalogue, name)),
  ]
  // Two minors may share an image: pause, coredns.
  return [...new Map(recipes.map((recipe) => [recipe.image, recipe])).values()]
}

function kubernetesImages(catalogue: Catalogue, version: string): readonly ImageRecipe[] {
  const tags = kubernetesImageTags(catalogue, version)
  const set = `kubernetes@${version}`
  const etcd = Object.fromEntries(['etcd', 'etcdctl', 'etcdutl'].map((program) => [`usr/local/bin/${program}`, program]))
  return [
    ...['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'].map((name) =>
      one(`registry.k8s.io/${name}:${version}`, set, `usr/local/bin/${name}`, name),
    ),
    one(`registry.k8s.io/kube-proxy:${version}`, set, 'usr/local/bin/kube-proxy', 'kube-proxy', networkTools),
    one(`registry.k8s.io/pause:${tags.pause}`, `pause@${withV(tags.pause)}`, 'pause', 'pause', {}),
    {
      image: `registry.k8s.io/etcd:${tags.etcd}`,
      set: `etcd@${etcdVersionFor(catalogue, version)}`,
      layers: [small, { programs: etcd }],
      config: { Entrypoint: ['/usr/local/bin/etcd'] },
    },
    one(`registry.k8s.io/coredns/coredns:${tags.coredns}`, `coredns@${tags.coredns}`, 'coredns', 'coredns'),
  ]
}

function flannelImages(catalogue: Catalogue): readonly ImageRecipe[] {
  const version = defaultVersion(catalogue, 'flannel')
  const [daemon = '', plugin = ''] = componentImages(catalogue, 'flannel', version)
  const pluginVersion = plugin.slice(plugin.lastIndexOf(':') + 1)
  return [
    one(daemon, `flannel@${version}`, 'opt/bin/flanneld', 'flanneld', networkTools),
    one(plugin, `flannel-cni-plugin@${pluginVersion}`, 'flannel', 'flannel', networkTools),
  ]
}

function loadBalancerImages(catalogue: Catalogue): readonly ImageRecipe[] {
  const image = (name: string): string => componentImages(catalogue, name, defaultVersion(catalogue, name))[0] ?? ''
  const standIn = "the distribution's package, of whatever version that is"
  return [
    one(image('kube-vip'), `kube-vip@${defaultVersion(catalogue, 'kube-vip')}`, 'kube-vip', 'kube-vip'),
    {
      image: image('haproxy'),
      set: null,
      layers: [packaged('haproxy')],
      config: { Entrypoint: ['/usr/sbin/haproxy'], Cmd: ['-W', '-db', '-f', '/usr/local/etc/haproxy/haproxy.cfg'] },
      standIn,
    },
    {
      image: image('nginx'),
      set: null,
      layers: [packaged('nginx-light', 'libnginx-mod-stream')],
      config: { Entrypoint: ['/usr/sbin/nginx'], Cmd: ['-g', 'daemon off;'], ExposedPorts: { '80/tcp': {} } },
      standIn,
    },
    {
      image: image('keepalived'),
      set: null,
      layers: [packaged('keepalived')],
      config: { Entrypoint: ['/usr/sbin/keepalived'], Cmd: ['-n', '-l', '-D', '-f', '/etc/keepalived/keepalived.conf'] },
      standIn,
    },
  ]
}

const registryImage = (catalogue: Catalogue, image: string): ImageRecipe => ({
  ...one(image, `registry@${defaultVersion(catalogue, 'registry')}`, 'bin/registry', 'registry'),
  config: { Entrypoint: ['/bin/registry'], Cmd: ['serve', '/etc/distribution/config.yml'], ExposedPorts: { '5000/tcp': {} } },
})

const busybox = (catalogue: Catalogue): ImageRecipe => ({
  image: componentImages(catalogue, 'busybox', defaultVersion(catalogue, 'busybox'))[0] ?? '',
  set: null,
  layers: [{ packages: ['busybox-static'], directories: { tmp: 0o1777, etc: 0o755, root: 0o700 } }],
  config: { Cmd: ['sh'] },
  standIn: "the distribution's package, of whatever version that is",
})

function extraImages(catalogue: Catalogue, name: string): readonly ImageRecipe[] {
  const version = defaultVersion(catalogue, name)
  const images = componentImages(catalogue, name, version)
  const set = `${name}@${version}`
  if (name === 'calico') {
    const [cni = '', node = '', controllers = ''] = images
    const typha = componentImages(catalogue, 'calico-typha', version)[0] ?? ''
    return [
      { ...one(cni, set, 'opt/cni/bin/calico', 'calico', networkTools), config: { Entrypoint: ['/opt/cni/bin/calico'] } },
      { ...one(node, set, 'usr/bin/calico-node', 'calico-node', networkTools), config: { Entrypoint: ['/usr/bin/calico-node', '-felix'] } },
      one(controllers, set, 'usr/bin/kube-controllers', 'kube-controllers'),
      one(typha, set, 'usr/bin/calico-typha', 'calico-typha'),
    ]
  }
  const [image = ''] = images
  if (name === 'metrics-server') return [one(image, set, 'metrics-server', 'metrics-server')]
  if (name === 'local-path-provisioner')
    return [{ ...one(image, set, 'usr/bin/local-path-provisioner', 'local-path-provisioner'), config: { Cmd: ['local-path-provisioner'] } }]
  return []
}
