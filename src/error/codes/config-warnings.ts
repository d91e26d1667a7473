import { defineCodes } from '../define.ts'

/** What a config may say, though it is probably not meant. */
export const configWarningCodes = defineCodes({
  KX_CONFIG_SPELLING: {
    kind: 'config',
    en: { problem: '{spelling} is read as {canonical}', cause: 'The field has an older or another spelling.', fix: 'write {canonical}' },
    zh: { problem: '{spelling} 按 {canonical} 处理', cause: '该字段使用了旧的或其他写法。', fix: '改写为 {canonical}' },
  },
  KX_CONFIG_ALTERNATIVES: {
    kind: 'config',
    en: {
      problem: '"{seen}" lists alternatives; {taken} is taken',
      cause: 'The value was copied from a list of possible ones.',
      fix: 'write the one you want: {options}',
    },
    zh: { problem: '"{seen}" 列出了多个选项，取 {taken}', cause: '该值是从可选值列表中复制而来。', fix: '只写需要的一个：{options}' },
  },
  KX_CONFIG_HOST_NO_ROLE: {
    kind: 'config',
    en: {
      problem: 'host {host} has no role',
      cause: 'A host outside all role groups is left alone.',
      fix: 'add {host} to a group of spec.roleGroups, or remove it',
    },
    zh: {
      problem: '主机 {host} 没有角色',
      cause: '不在任何角色组中的主机不会被处理。',
      fix: '将 {host} 加入 spec.roleGroups 的某个组，或删除它',
    },
  },
  KX_CONFIG_ROLE_TWICE: {
    kind: 'config',
    en: { problem: '{host} is listed twice under {role}', cause: 'A host has a role once.', fix: 'remove one of the two' },
    zh: { problem: '{host} 在 {role} 下出现了两次', cause: '同一角色只需列出一次。', fix: '删除其中一个' },
  },
  KX_CONFIG_INTERNAL_ADDRESS: {
    kind: 'config',
    en: {
      problem: '{hosts} share the internal address {seen}',
      cause: 'Two machines cannot both answer on one address.',
      fix: 'give each host its own internalAddress',
    },
    zh: { problem: '{hosts} 的内部地址都是 {seen}', cause: '两台机器不能使用同一个地址。', fix: '为每台主机设置各自的 internalAddress' },
  },
  KX_CONFIG_ETCD_EVEN: {
    kind: 'config',
    en: {
      problem: '{count} etcd members tolerate no more failures than {fewer}',
      cause: 'etcd needs a majority; an even number adds a member without adding safety.',
      fix: 'use {fewer} or {more} members',
    },
    zh: {
      problem: '{count} 个 etcd 成员的容错能力与 {fewer} 个相同',
      cause: 'etcd 需要多数派；偶数个成员并不会提高安全性。',
      fix: '使用 {fewer} 或 {more} 个成员',
    },
  },
  KX_CONFIG_LITERAL_SECRET: {
    kind: 'config',
    en: {
      problem: 'the secret {field} stands in the file in the clear ({count} of them)',
      cause: 'Whoever can read the file, or its history, has the secret.',
      fix: 'give {field} as env: NAME or file: PATH in place of the text, or log in with a key',
    },
    zh: {
      problem: '密钥 {field} 以明文写在文件中（共 {count} 处）',
      cause: '能读到该文件或其历史的人都能拿到密钥。',
      fix: '将 {field} 改为 env: NAME 或 file: PATH 引用，或使用密钥登录',
    },
  },
  KX_CONFIG_PLACEHOLDER: {
    kind: 'config',
    en: {
      problem: 'the secret is only "***"',
      cause: 'kubexm writes *** in place of a literal secret; the real one is not in this file.',
      fix: 'put the secret in, best as env: NAME or file: PATH',
    },
    zh: {
      problem: '该密钥只是 "***"',
      cause: 'kubexm 用 *** 代替明文密钥；真实值不在此文件中。',
      fix: '填入真实密钥，最好写成 env: NAME 或 file: PATH 引用',
    },
  },
  KX_CONFIG_FEATURE_GATE: {
    kind: 'config',
    en: {
      problem: 'Kubernetes {version} {what} feature gate {gate}',
      cause: 'A component refuses to start with a gate it does not know.',
      fix: '{how}',
    },
    zh: { problem: 'Kubernetes {version} {what} feature gate {gate}', cause: '组件遇到不认识的 feature gate 会拒绝启动。', fix: '{how}' },
  },
  KX_CONFIG_VERSION_UNTESTED: {
    kind: 'config',
    en: {
      problem: 'Kubernetes {seen} is newer than {newest}, the newest this kubexm was tested with',
      cause: 'It may well work; nobody has tried.',
      fix: 'try it on a test cluster first, or write {newest}',
    },
    zh: {
      problem: 'Kubernetes {seen} 比本版 kubexm 测试过的最新版本 {newest} 还新',
      cause: '也许可用，但尚未验证。',
      fix: '先在测试集群上试用，或改为 {newest}',
    },
  },
  KX_CONFIG_RUNTIME_SKEW: {
    kind: 'config',
    en: {
      problem: '{runtime} {seen} was made for another Kubernetes than {version}',
      cause: 'The runtime and the kubelet are released in step.',
      fix: 'write {runtime} {needed}',
    },
    zh: {
      problem: '{runtime} {seen} 对应的不是 Kubernetes {version}',
      cause: '该运行时与 kubelet 同步发布。',
      fix: '请使用 {runtime} {needed}',
    },
  },
  KX_CONFIG_HOST_BITS: {
    kind: 'config',
    en: {
      problem: '{seen} has bits behind its prefix; {network} is taken',
      cause: 'A network is named by its first address.',
      fix: 'write {network}',
    },
    zh: { problem: '{seen} 的主机位不为零，取 {network}', cause: '网段以其第一个地址表示。', fix: '改写为 {network}' },
  },
  KX_CONFIG_NO_VIP: {
    kind: 'config',
    en: {
      problem: 'lb_address is empty: {domain} will point to {host}, and nothing takes over when it is down',
      cause: 'Keepalived moves a virtual address between the load balancers; without one they cannot stand in for each other.',
      fix: 'write a free address of their network as lb_address',
    },
    zh: {
      problem: 'lb_address 为空：{domain} 将指向 {host}，其宕机时无法接管',
      cause: 'Keepalived 在负载均衡主机之间漂移虚拟地址；没有虚拟地址就无法互相接管。',
      fix: '将同网段的空闲地址填为 lb_address',
    },
  },
  KX_CONFIG_UNUSED: {
    kind: 'config',
    en: { problem: '{what} has no effect: {why}', cause: 'The field belongs to a choice that was not made.', fix: 'remove it, or {how}' },
    zh: { problem: '{what} 不起作用：{why}', cause: '该字段属于未被选中的选项。', fix: '删除它，或 {how}' },
  },
  KX_CONFIG_IPVS_KUBE_VIP: {
    kind: 'config',
    en: {
      problem: 'kube-vip with proxyMode ipvs, and {vip} is not excluded',
      cause: 'kube-proxy in ipvs mode cleans up addresses it does not know, the virtual one among them.',
      fix: 'add {vip}/32 or the network of the hosts to kubeProxy.configuration.ipvs.excludeCIDRs',
    },
    zh: {
      problem: 'kube-vip 与 proxyMode ipvs 同用，但未排除 {vip}',
      cause: 'ipvs 模式下 kube-proxy 会清理它不认识的地址，包括虚拟地址。',
      fix: '将 {vip}/32 或主机网段加入 kubeProxy.configuration.ipvs.excludeCIDRs',
    },
  },
})
