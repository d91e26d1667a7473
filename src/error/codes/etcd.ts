import { defineCodes } from '../define.ts'

/** The store behind the API servers. */
export const etcdCodes = defineCodes({
  KX_ETCD_MEMBER: {
    kind: 'step',
    en: {
      problem: 'the etcd member {member} does not come up: {why}',
      cause:
        'It ended, it does not reach the other members on their peer port, or too few of them run for a majority. Its last log lines are shown. It goes on trying by itself.',
      fix: 'mend what its log names ("journalctl -u etcd" on {member}; see the other members too), then run the same command with --resume',
    },
    zh: {
      problem: 'etcd 成员 {member} 未能启动：{why}',
      cause: '该成员已退出、无法通过 peer 端口连接其他成员，或运行的成员不足多数。已显示其最后几行日志。它会自行继续重试。',
      fix: '按日志排除问题（在 {member} 上执行 "journalctl -u etcd"，并查看其他成员），然后用 --resume 重新执行同一命令',
    },
  },
  KX_ETCD_NOT_WHOLE: {
    kind: 'step',
    en: {
      problem: 'etcd is not whole: {members}',
      cause:
        'Members are restarted one at a time, and only while all others answer: with one of three away a second one would stop the cluster.',
      fix: 'bring the members that are named back ("journalctl -u etcd" there), then run the same command with --resume',
    },
    zh: {
      problem: 'etcd 集群不完整：{members}',
      cause: '成员逐个重启，且仅在其他成员全部正常时进行：三个成员缺一时再停一个会使集群停止服务。',
      fix: '恢复所列成员（在其上查看 "journalctl -u etcd"），然后用 --resume 重新执行同一命令',
    },
  },
  KX_ETCD_UNREACHABLE: {
    kind: 'preflight',
    en: {
      problem: 'your etcd does not answer at {endpoint}: {why}',
      cause:
        'The API servers need every endpoint of spec.etcd.external; one that is wrong or blocked costs them time, or all of them their store.',
      fix: 'correct spec.etcd.external.endpoints, start that member, or open the way to it from the masters',
    },
    zh: {
      problem: '外部 etcd 在 {endpoint} 无响应：{why}',
      cause: 'API 服务器需要 spec.etcd.external 中的每个端点；错误或被阻断的端点会拖慢甚至中断存储访问。',
      fix: '更正 spec.etcd.external.endpoints、启动该成员，或放通主节点到它的网络',
    },
  },
  KX_ETCD_UNTRUSTED: {
    kind: 'preflight',
    en: {
      problem: 'no trusted connection to your etcd at {endpoint}: {why}',
      cause:
        'The CA of spec.etcd.external did not sign the certificate of the server, its names do not hold the endpoint, or the server does not accept the client certificate.',
      fix: 'give the CA, certificate and key of this etcd in spec.etcd.external (caFile, certFile, keyFile)',
    },
    zh: {
      problem: '无法与 {endpoint} 的外部 etcd 建立受信任的连接：{why}',
      cause: 'spec.etcd.external 的 CA 未签发服务器证书、证书名称不含该端点，或服务器不接受客户端证书。',
      fix: '在 spec.etcd.external 中填写该 etcd 的 CA、证书和私钥（caFile、certFile、keyFile）',
    },
  },
  KX_ETCD_UNHEALTHY: {
    kind: 'preflight',
    en: {
      problem: 'your etcd at {endpoint} is not healthy: {why}',
      cause: 'The member has no leader, its database is full or corrupt, or too few members run for a majority.',
      fix: 'look at the cluster with "etcdctl endpoint status" and "etcdctl alarm list", and mend it before Kubernetes depends on it',
    },
    zh: {
      problem: '{endpoint} 的外部 etcd 不健康：{why}',
      cause: '该成员没有 leader、数据库已满或损坏，或运行的成员不足多数。',
      fix: '用 "etcdctl endpoint status" 和 "etcdctl alarm list" 检查并修复集群，再让 Kubernetes 使用它',
    },
  },
})
