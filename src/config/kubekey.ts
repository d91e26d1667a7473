import { isMap } from './places.ts'

/** Fields of KubeKey v3 (v1alpha2) that have another name here; both below `spec`. What is named alike needs no entry. */
export const kubekeyMoves: Readonly<Record<string, string>> = {
  'roleGroups.control-plane': 'roleGroups.master',
  'controlPlaneEndpoint.address': 'controlPlaneEndpoint.lb_address',
  'kubernetes.containerManager': 'kubernetes.containerRuntime.type',
  'kubernetes.nodelocaldns': 'dns.nodelocaldns.enabled',
  'kubernetes.audit': 'kubernetes.apiServer.audit',
  'kubernetes.etcdBackupDir': 'etcd.backup.dir',
  'kubernetes.keepBackupNumber': 'etcd.backup.keepNumber',
  'kubernetes.etcdBackupScript': 'etcd.backup.scriptPath',
  'etcd.port': 'etcd.clientPort',
  'etcd.backupDir': 'etcd.backup.dir',
  'etcd.keepBackupNumber': 'etcd.backup.keepNumber',
  'etcd.backupScript': 'etcd.backup.scriptPath',
  'network.multusCNI': 'network.multus',
  'network.calico.defaultIPPOOL': 'network.calico.ipam.autoCreatePools',
  'network.flannel.backendMode': 'network.flannel.backend.type',
  'network.flannel.directRouting': 'network.flannel.backend.vxlan.directRouting',
  'network.kubeovn.tunnelType': 'network.kubeovn.networkType',
  'network.kubeovn.kube-ovn-cni.iface': 'network.kubeovn.iface',
  'network.kubeovn.kube-ovn-cni.enableMirror': 'network.kubeovn.enableMirror',
  'registry.dataRoot': 'registry.dockerDataDir',
}

/** Words of KubeKey for choices we name otherwise; paths are ours, below `spec`. */
export const kubekeyWords: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'kubernetes.type': { kubernetes: 'kubeadm' },
  'etcd.type': { kubekey: 'kubexm' },
  'kubernetes.containerRuntime.type': { crio: 'cri-o', isula: 'isulad' },
  'network.plugin': { kubeovn: 'kube-ovn', '': 'none' },
  'controlPlaneEndpoint.internalLoadbalancer': { kubevip: 'kube-vip' },
}

/** `{name, bash, materials}` becomes its command; what it copies beforehand has no counterpart. */
export const scriptLine = (script: unknown): unknown =>
  isMap(script) && typeof script.bash === 'string' && script.materials === undefined ? script.bash : script
