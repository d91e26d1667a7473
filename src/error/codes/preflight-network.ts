import { defineCodes } from '../define.ts'

/** What preflight finds about ports, names, addresses and ways between hosts. */
export const preflightNetworkCodes = defineCodes({
  KX_PORT_TAKEN: {
    kind: 'preflight',
    en: {
      problem: 'port {port}/{protocol}, which {user} needs, is held by {process}',
      cause: 'Another program listens there; what is to be installed could not start.',
      fix: 'stop {process}, or run "kubexm delete cluster" if it is left over',
    },
    zh: {
      problem: '{user} 需要的端口 {port}/{protocol} 被 {process} 占用',
      cause: '有其他程序在监听；将要安装的组件无法启动。',
      fix: '停止 {process}；若为残留，可执行 "kubexm delete cluster"',
    },
  },
  KX_ADDRESS_MISSING: {
    kind: 'preflight',
    en: {
      problem: 'no interface of the host has {address}',
      cause:
        'The config gives this as internalAddress (or as address, which is the same by default): a NAT or floating address cannot be listened on.',
      fix: 'write internalAddress for this host in spec.hosts; it has {own}',
    },
    zh: {
      problem: '主机没有任何接口配置了 {address}',
      cause: '配置将其作为 internalAddress（默认与 address 相同）：无法监听 NAT 或浮动地址。',
      fix: '在 spec.hosts 中为该主机写 internalAddress；它拥有 {own}',
    },
  },
  KX_FIREWALL_ON: {
    kind: 'preflight',
    en: {
      problem: '{tool} is active',
      cause: 'It blocks the ports between hosts and the traffic of pods.',
      fix: 'nothing to do: kubexm turns it off, now and at boot',
    },
    zh: {
      problem: '{tool} 处于启用状态',
      cause: '它会阻断主机间端口和 Pod 流量。',
      fix: '无需处理：kubexm 会将其关闭（立即生效且重启后保持）',
    },
  },
  KX_FIREWALL_KEPT: {
    kind: 'preflight',
    en: {
      problem: '{tool} is active and stays so, as the config says',
      cause: 'It may block the ports between hosts and the traffic of pods.',
      fix: 'allow {ports} from the other hosts, and the ranges of pods and services; or write preflight.disableFirewalld: true',
    },
    zh: {
      problem: '{tool} 处于启用状态，并按配置保持不变',
      cause: '它可能阻断主机间端口和 Pod 流量。',
      fix: '放行来自其他主机的 {ports} 以及 Pod 和服务网段；或写 preflight.disableFirewalld: true',
    },
  },
  KX_RESOLV_MISSING: {
    kind: 'preflight',
    en: {
      problem: '{file} names no name server',
      cause: 'The file is missing, empty, or only has comments: the kubelet and CoreDNS take their name servers from it.',
      fix: 'write "nameserver ADDRESS" into {file}, or list servers in extra.resolves',
    },
    zh: {
      problem: '{file} 中没有名称服务器',
      cause: '文件不存在、为空或只有注释：kubelet 和 CoreDNS 从中获取名称服务器。',
      fix: '在 {file} 中写入 "nameserver 地址"，或在 extra.resolves 中列出服务器',
    },
  },
  KX_RESOLV_LOOP: {
    kind: 'preflight',
    en: {
      problem: '{file} names {server}: CoreDNS would ask itself',
      cause: 'The file is handed to pods, in which a loopback address is the pod itself and a service address is CoreDNS.',
      fix: 'name the real servers in {file}, or list them in dns.coredns.upstreamDNSServers',
    },
    zh: {
      problem: '{file} 指向 {server}：CoreDNS 会查询自己',
      cause: '该文件会传给 Pod；在 Pod 中回环地址是 Pod 自身，服务地址是 CoreDNS。',
      fix: '在 {file} 中写真实的服务器，或在 dns.coredns.upstreamDNSServers 中列出',
    },
  },
  KX_NAMESERVER_SILENT: {
    kind: 'preflight',
    en: {
      problem: 'the name server {servers} of {file} does not answer',
      cause: 'It is down, or UDP port 53 is blocked on the way.',
      fix: 'name a server that answers, or open port 53 to it',
    },
    zh: {
      problem: '{file} 中的名称服务器 {servers} 没有应答',
      cause: '服务器停机，或途中的 UDP 53 端口被阻断。',
      fix: '改用能应答的服务器，或放行到它的 53 端口',
    },
  },
  KX_CIDR_ROUTE: {
    kind: 'preflight',
    en: {
      problem: '{field} {range} overlaps {seen} on {interface}',
      cause: 'Packets for pods or services would leave by that interface, or the other way round.',
      fix: 'choose another network.{field}, or remove the route',
    },
    zh: {
      problem: '{field} {range} 与 {interface} 上的 {seen} 重叠',
      cause: '发往 Pod 或服务的数据包会从该接口发出，反之亦然。',
      fix: '选择其他 network.{field}，或删除该路由',
    },
  },
  KX_PORT_UNREACHABLE: {
    kind: 'preflight',
    en: {
      problem: 'cannot reach {targets} on port {port} ({user}): {why}',
      cause: 'A firewall or a missing route between the hosts: a port where nothing listens yet would refuse at once.',
      fix: 'let {port}/tcp from this host through, in the firewall of the hosts and of the network',
    },
    zh: {
      problem: '无法访问 {targets} 的端口 {port}（{user}）：{why}',
      cause: '主机之间有防火墙或缺少路由：无监听的端口会立即拒绝连接。',
      fix: '在主机和网络的防火墙中放行来自该主机的 {port}/tcp',
    },
  },
  KX_VIP_TAKEN: {
    kind: 'preflight',
    en: {
      problem: 'the virtual address {vip} is in use already: {by}',
      cause: 'Two machines with one address lose connections at random.',
      fix: 'choose a free address for controlPlaneEndpoint.lb_address',
    },
    zh: {
      problem: '虚拟地址 {vip} 已被使用：{by}',
      cause: '两台机器使用同一地址会随机断开连接。',
      fix: '为 controlPlaneEndpoint.lb_address 选择空闲地址',
    },
  },
  KX_VIP_NETWORK: {
    kind: 'preflight',
    en: {
      problem: 'the virtual address {vip} is in no network of this host ({networks})',
      cause: 'Neighbours find a virtual address by ARP, which does not cross networks.',
      fix: "choose an address of the hosts' network for controlPlaneEndpoint.lb_address",
    },
    zh: {
      problem: '虚拟地址 {vip} 不在该主机的任何网络中（{networks}）',
      cause: '邻居通过 ARP 找到虚拟地址，ARP 不跨网络。',
      fix: '为 controlPlaneEndpoint.lb_address 选择主机所在网络的地址',
    },
  },
  KX_ENDPOINT_UNKNOWN: {
    kind: 'preflight',
    en: {
      problem: 'the name {domain} is not known here',
      cause: 'With externalDNS the name of the API endpoint comes from your DNS, and nodes ask for it.',
      fix: 'add {domain} to your DNS, for your load balancer or for the masters; or write controlPlaneEndpoint.externalDNS: false',
    },
    zh: {
      problem: '此主机无法解析名称 {domain}',
      cause: '启用 externalDNS 时，API 端点的名称由您的 DNS 提供，节点会查询它。',
      fix: '将 {domain} 加入您的 DNS（指向负载均衡器或各 master）；或写 controlPlaneEndpoint.externalDNS: false',
    },
  },
  KX_LB_UNREACHABLE: {
    kind: 'preflight',
    en: {
      problem: 'the load balancer {address}:{port} is out of reach: {why}',
      cause: 'It is yours to run; nodes reach the API servers through it.',
      fix: 'start it, let the hosts through, and point it at the masters on port {backend}',
    },
    zh: {
      problem: '无法访问负载均衡器 {address}:{port}：{why}',
      cause: '它由您自行运行；节点通过它访问 API 服务器。',
      fix: '启动它，放行主机，并将其指向各 master 的 {backend} 端口',
    },
  },
  KX_REGISTRY_UNREACHABLE: {
    kind: 'preflight',
    en: {
      problem: 'the registry {registry} is out of reach: {why}',
      cause: 'Images come from it.',
      fix: 'check registry.privateRegistry, its name in DNS or extra.hosts, and the way to it',
    },
    zh: {
      problem: '无法访问镜像仓库 {registry}：{why}',
      cause: '镜像来自该仓库。',
      fix: '检查 registry.privateRegistry、其 DNS 或 extra.hosts 中的名称以及网络路径',
    },
  },
  KX_MIRROR_UNREACHABLE: {
    kind: 'preflight',
    en: {
      problem: 'the registry mirror {registry} is out of reach: {why}',
      cause: 'Every pull would wait for it before the registry itself is asked.',
      fix: 'correct or remove the mirror in the config',
    },
    zh: {
      problem: '无法访问镜像加速器 {registry}：{why}',
      cause: '每次拉取都会先等待它，再访问原仓库。',
      fix: '更正或删除配置中的镜像加速器',
    },
  },
  KX_ARTIFACT_SOURCE_UNREACHABLE: {
    kind: 'preflight',
    en: {
      problem: 'this machine cannot reach the artifact mirror {source}: {why}',
      cause: 'Binaries are fetched from it; a proxy may still lead there.',
      fix: 'check global.artifactMirror and the way to it',
    },
    zh: {
      problem: '本机无法访问制品镜像 {source}：{why}',
      cause: '二进制文件从那里获取；也可能仍可经代理访问。',
      fix: '检查 global.artifactMirror 及网络路径',
    },
  },
})
