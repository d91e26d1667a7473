import { coredns } from '../components/addon/coredns/index.ts'
import { provideImages } from '../components/artifact/images/index.ts'
import { networkPlugins } from '../components/cni/index.ts'
import { etcd } from '../components/etcd/binary/index.ts'
import { bootstrapRbac, controlPlane, kubelets, kubeProxies } from '../components/kubernetes/binary/index.ts'
import { adminAccess } from '../components/kubernetes/client/index.ts'
import { initControlPlane, installKubeadm, joinControlPlanes, joinWorkers } from '../components/kubernetes/kubeadm/index.ts'
import { nodeSettings, nodesReady, nodeTraces, servingCertificates } from '../components/kubernetes/node/index.ts'
import { haproxyPods, haproxyService } from '../components/lb/haproxy/index.ts'
import { keepalived } from '../components/lb/keepalived/index.ts'
import { kubeVip } from '../components/lb/kube-vip/index.ts'
import { nginxPods, nginxService } from '../components/lb/nginx/index.ts'
import { issueCertificates } from '../components/pki/certificates/index.ts'
import { pushImages, registryService } from '../components/registry/registry/index.ts'
import { empty, par, seq } from '../plan/index.ts'
import { defineModule } from './define.ts'

/** Certificates and keys, made on this machine. */
export const certificatesModule = defineModule({ name: 'certificates', create: (task) => task(issueCertificates) })

/** The private registry, filled with what the hosts will ask it for. */
export const registryModule = defineModule({ name: 'registry', create: (task) => seq(task(registryService), task(pushImages)) })

/** Images on every node, before anything needs them. */
export const imagesModule = defineModule({ name: 'images', create: (task) => task(provideImages) })

/** The store behind the API servers, where kubexm runs it. */
export const etcdModule = defineModule({ name: 'etcd', create: (task) => task(etcd) })

/** Load balancers on hosts of their own, in front of the API servers. */
export const balancerModule = defineModule({
  name: 'load-balancer',
  create: (task) => seq(par(task(haproxyService), task(nginxService)), task(keepalived)),
})

/** What can be put on the nodes before there is a cluster. */
export const groundworkModule = defineModule({
  name: 'groundwork',
  create: (task) => seq(task(nodeTraces), par(seq(task(installKubeadm), task(adminAccess)), task(kubeVip))),
})

/** The API servers and what goes with them. */
export const controlPlaneModule = defineModule({
  name: 'control-plane',
  create: (task, { cluster }) =>
    cluster.spec.kubernetes.type === 'kubeadm'
      ? task(initControlPlane)
      : // Kubelets and proxies need no API server to start: they go on trying until one answers.
        par(seq(par(task(haproxyPods), task(nginxPods)), task(kubelets), task(kubeProxies)), seq(task(controlPlane), task(bootstrapRbac))),
})

/** All other nodes, where joining is an act of its own. */
export const nodesModule = defineModule({
  name: 'nodes',
  create: (task, { cluster }) =>
    cluster.spec.kubernetes.type === 'kubeadm'
      ? par(
          task(joinControlPlanes),
          // A kubelet starts its load balancer by itself, before it needs it.
          seq(par(task(haproxyPods), task(nginxPods)), task(joinWorkers)),
        )
      : empty,
})

/** The network of pods. */
export const networkModule = defineModule({ name: 'network', create: (task) => par(...networkPlugins.map((plugin) => task(plugin))) })

/** Names inside the cluster. */
export const dnsModule = defineModule({ name: 'dns', create: (task) => task(coredns) })

/** The nodes as the config describes them, and the proof that all are ready. */
export const readinessModule = defineModule({
  name: 'readiness',
  create: (task) => seq(task(nodeSettings), task(servingCertificates), task(nodesReady)),
})
