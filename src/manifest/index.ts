export { defaultAuditPolicy, encryptionConfiguration } from './api-server-files.ts'
export { apiServerArguments, controllerManagerArguments, encryptionConfigPath, schedulerArguments } from './control-plane.ts'
export { etcdArguments } from './etcd.ts'
export { kubeProxyConfiguration } from './kube-proxy.ts'
export { initDocuments, joinConfiguration, type KubeadmChoices, kubeletPatch } from './kubeadm.ts'
export { type KubeadmTraits, kubeadmTraits } from './kubeadm-traits.ts'
export {
  cgroupDriverFor,
  kubeletConfiguration,
  kubeletRoot,
  type Manifest,
  rotatesServingCertificates,
  runtimeEndpoint,
} from './kubelet.ts'
export { controlPlaneTaint, nodeAddresses, nodeLabels, nodeTaints, type Taint } from './node.ts'
export { type StaticPod, staticPod } from './static-pod.ts'
