import { defineCodes } from '../define.ts'

/** Fields of a config that do not go together. */
export const configRuleCodes = defineCodes({
  KX_CONFIG_HOST_RANGE: {
    kind: 'config',
    en: {
      problem: '{text} is not a host or a range of hosts: {why}',
      cause: 'A range is written name[first:last].',
      fix: 'write node[1:3], or the names one by one',
    },
    zh: { problem: '{text} 不是主机名或主机范围：{why}', cause: '范围应写成 name[first:last]。', fix: '写成 node[1:3]，或逐个列出名称' },
  },
  KX_CONFIG_NO_SUCH_HOST: {
    kind: 'config',
    en: {
      problem: '{text} names {missing}, which is not in spec.hosts',
      cause: 'A role can be given only to a host of the list.',
      fix: '{how}',
    },
    zh: { problem: '{text} 指向 {missing}，但 spec.hosts 中没有', cause: '角色只能分配给主机列表中的主机。', fix: '{how}' },
  },
  KX_CONFIG_HOST_DUPLICATE: {
    kind: 'config',
    en: {
      problem: 'two hosts have the {field} {seen}; the first is on line {first}',
      cause: 'Each host is one machine with one name.',
      fix: 'give each host its own {field}',
    },
    zh: {
      problem: '两台主机的 {field} 都是 {seen}，第一台在第 {first} 行',
      cause: '每台主机是一台机器，有唯一的名称。',
      fix: '为每台主机设置不同的 {field}',
    },
  },
  KX_CONFIG_NO_MASTER: {
    kind: 'config',
    en: {
      problem: 'no host has the role master',
      cause: 'A cluster needs at least one control plane node.',
      fix: 'list at least one host under spec.roleGroups.master',
    },
    zh: {
      problem: '没有主机具有 master 角色',
      cause: '集群至少需要一个控制平面节点。',
      fix: '在 spec.roleGroups.master 下至少列出一台主机',
    },
  },
  KX_CONFIG_ETCD_ROLE: {
    kind: 'config',
    en: {
      problem: 'etcd.type {type} does not go with the etcd role of {hosts}',
      cause: 'External etcd runs on no host of this cluster; the etcd of kubeadm runs on the masters.',
      fix: '{how}',
    },
    zh: {
      problem: 'etcd.type {type} 与 {hosts} 的 etcd 角色冲突',
      cause: '外部 etcd 不运行在本集群主机上；kubeadm 的 etcd 运行在 master 上。',
      fix: '{how}',
    },
  },
  KX_CONFIG_ETCD_KUBEADM: {
    kind: 'config',
    en: {
      problem: 'etcd.type kubeadm does not go with kubernetes.type {type}',
      cause: 'Only kubeadm can run etcd as a pod of its own.',
      fix: 'write etcd.type: kubexm, or kubernetes.type: kubeadm',
    },
    zh: {
      problem: 'etcd.type kubeadm 不能与 kubernetes.type {type} 搭配',
      cause: '只有 kubeadm 能以自身的 pod 运行 etcd。',
      fix: '改为 etcd.type: kubexm，或 kubernetes.type: kubeadm',
    },
  },
  KX_CONFIG_ETCD_EXTERNAL: {
    kind: 'config',
    en: { problem: 'etcd.type external: {what}', cause: 'kubexm must know how to reach the etcd that is already there.', fix: '{how}' },
    zh: { problem: 'etcd.type external：{what}', cause: 'kubexm 需要知道如何访问已有的 etcd。', fix: '{how}' },
  },
  KX_CONFIG_ETCD_PORT: {
    kind: 'config',
    en: {
      problem: 'etcd.type kubeadm does not go with {field} {seen}',
      cause: 'kubeadm lets its etcd listen on 2379 and 2380, and nowhere else.',
      fix: 'write {field}: {fixed}, or etcd.type: kubexm',
    },
    zh: {
      problem: 'etcd.type kubeadm 不能与 {field} {seen} 搭配',
      cause: 'kubeadm 的 etcd 只监听 2379 和 2380 端口。',
      fix: '写 {field}: {fixed}，或 etcd.type: kubexm',
    },
  },
  KX_CONFIG_ETCD_TIMING: {
    kind: 'config',
    en: {
      problem: 'electionTimeout {election} is less than five times heartbeatInterval {heartbeat}',
      cause: 'etcd refuses to start with these: a leader would be voted out before its heartbeat arrives.',
      fix: 'write electionTimeout: {enough} or more',
    },
    zh: {
      problem: 'electionTimeout {election} 小于 heartbeatInterval {heartbeat} 的五倍',
      cause: 'etcd 会拒绝启动：心跳到达之前 leader 就会被换掉。',
      fix: '将 electionTimeout 设为 {enough} 或更大',
    },
  },
  KX_CONFIG_LB_NEEDED: {
    kind: 'config',
    en: {
      problem: '{masters} masters and no load balancer',
      cause: 'Workers must reach the API when one master is down.',
      fix: 'write internalLoadbalancer: haproxy, or choose an externalLoadBalancer',
    },
    zh: {
      problem: '有 {masters} 个 master 却没有负载均衡',
      cause: '某个 master 宕机时，worker 仍须能访问 API。',
      fix: '设置 internalLoadbalancer: haproxy，或选择 externalLoadBalancer',
    },
  },
  KX_CONFIG_LB_HOSTS: {
    kind: 'config',
    en: {
      problem: 'externalLoadBalancer {type}: {what}',
      cause: 'kubexm-kh and kubexm-kn run on hosts with the loadbalancer role; external runs on none of them.',
      fix: '{how}',
    },
    zh: {
      problem: 'externalLoadBalancer {type}：{what}',
      cause: 'kubexm-kh 和 kubexm-kn 运行在 loadbalancer 角色的主机上；external 则不使用任何主机。',
      fix: '{how}',
    },
  },
  KX_CONFIG_VIP: {
    kind: 'config',
    en: {
      problem: 'lb_address {seen}: {what}',
      cause: 'The virtual address is taken over between hosts: it must be free and on their network.',
      fix: '{how}',
    },
    zh: { problem: 'lb_address {seen}：{what}', cause: '虚拟地址会在主机之间漂移：它必须未被占用且位于主机所在网段。', fix: '{how}' },
  },
  KX_CONFIG_CIDR_OVERLAP: {
    kind: 'config',
    en: {
      problem: '{one} {seen} overlaps {other} {otherSeen}',
      cause: 'An address that belongs to two networks cannot be routed.',
      fix: 'choose ranges that share no address, for example pods 10.233.64.0/18 and services 10.233.0.0/18',
    },
    zh: {
      problem: '{one} {seen} 与 {other} {otherSeen} 重叠',
      cause: '同时属于两个网络的地址无法路由。',
      fix: '选择互不重叠的网段，例如 Pod 用 10.233.64.0/18，Service 用 10.233.0.0/18',
    },
  },
  KX_CONFIG_CIDR_SMALL: {
    kind: 'config',
    en: {
      problem: '{seen} holds {room} blocks of /{mask}; {nodes} nodes need one each',
      cause: 'Every node gets a block of the pod network.',
      fix: 'choose a larger kubePodsCIDR or a larger node mask',
    },
    zh: {
      problem: '{seen} 只能划分 {room} 个 /{mask} 网段，而 {nodes} 个节点各需一个',
      cause: '每个节点都会从 Pod 网络中分到一个网段。',
      fix: '选择更大的 kubePodsCIDR 或更大的节点掩码',
    },
  },
  KX_CONFIG_CIDR_MASK: {
    kind: 'config',
    en: {
      problem: 'a node mask of /{mask} does not fit into {seen}',
      cause: 'A node block must lie inside the pod network, and at most 16 bits below it.',
      fix: 'write a mask from {low} to {high}',
    },
    zh: {
      problem: '节点掩码 /{mask} 不适合 {seen}',
      cause: '节点网段必须在 Pod 网络之内，且最多比它长 16 位。',
      fix: '掩码请设为 {low} 到 {high}',
    },
  },
  KX_CONFIG_DUAL_STACK: {
    kind: 'config',
    en: { problem: '{what}', cause: 'Pods, services and hosts must speak the same address families, one range of each.', fix: '{how}' },
    zh: { problem: '{what}', cause: 'Pod、Service 和主机必须使用相同的地址族，每族一个网段。', fix: '{how}' },
  },
  KX_CONFIG_CALICO_MODE: {
    kind: 'config',
    en: {
      problem: 'ipipMode {ipip} and vxlanMode {vxlan} exclude each other',
      cause: 'Calico wraps packets in one way or the other.',
      fix: 'write Never for one of the two',
    },
    zh: { problem: 'ipipMode {ipip} 与 vxlanMode {vxlan} 互斥', cause: 'Calico 只能使用其中一种封装。', fix: '将其中一个设为 Never' },
  },
  KX_CONFIG_CNI: {
    kind: 'config',
    en: { problem: '{what}', cause: 'The settings of the network plugin contradict other fields.', fix: '{how}' },
    zh: { problem: '{what}', cause: '网络插件的设置与其他字段矛盾。', fix: '{how}' },
  },
  KX_CONFIG_VERSION: {
    kind: 'config',
    en: {
      problem: 'Kubernetes {seen} is older than {oldest}, the oldest kubexm installs',
      cause: 'Older versions need APIs and runtimes that are gone.',
      fix: 'write {oldest} or later',
    },
    zh: {
      problem: 'Kubernetes {seen} 早于 kubexm 支持的最低版本 {oldest}',
      cause: '更早的版本依赖已不存在的 API 和运行时。',
      fix: '改为 {oldest} 或更高版本',
    },
  },
  KX_CONFIG_RUNTIME_VERSION: {
    kind: 'config',
    en: {
      problem: '{runtime} {seen} does not work with Kubernetes {version}',
      cause: 'The kubelet speaks a version of the runtime interface that this runtime does not have.',
      fix: 'write {runtime} {needed}',
    },
    zh: {
      problem: '{runtime} {seen} 不能与 Kubernetes {version} 配合使用',
      cause: 'kubelet 使用的运行时接口版本该运行时并不支持。',
      fix: '请使用 {runtime} {needed}',
    },
  },
  KX_CONFIG_NTP: {
    kind: 'config',
    en: {
      problem: '{seen} is no host of this cluster and no server name',
      cause: 'An NTP server is a host of spec.hosts, a domain name or an address.',
      fix: '{how}',
    },
    zh: { problem: '{seen} 既不是本集群的主机，也不是服务器名称', cause: 'NTP 服务器应是 spec.hosts 中的主机、域名或地址。', fix: '{how}' },
  },
  KX_CONFIG_LABEL: {
    kind: 'config',
    en: { problem: '{kind} {seen}: {what}', cause: 'The API server refuses labels and taints of another form.', fix: '{how}' },
    zh: { problem: '{kind} {seen}：{what}', cause: 'API server 会拒绝其他格式的标签和污点。', fix: '{how}' },
  },
  KX_CONFIG_REGISTRY: {
    kind: 'config',
    en: { problem: 'registry: {what}', cause: 'The private registry and the hosts with the registry role must fit.', fix: '{how}' },
    zh: { problem: 'registry：{what}', cause: '私有镜像仓库与 registry 角色的主机必须一致。', fix: '{how}' },
  },
  KX_CONFIG_ADDON: {
    kind: 'config',
    en: { problem: 'addon {name}: {what}', cause: 'An addon is built in, a Helm chart or a list of manifests.', fix: '{how}' },
    zh: { problem: '插件 {name}：{what}', cause: '插件可以是内置的、Helm chart 或清单列表。', fix: '{how}' },
  },
})
