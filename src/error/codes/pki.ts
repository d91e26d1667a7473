import { defineCodes } from '../define.ts'

/** Certificates and keys. */
export const pkiCodes = defineCodes({
  KX_PKI_STORE: {
    kind: 'step',
    en: {
      problem: 'cannot read or write {file}: {why}',
      cause: 'The certificates of a cluster are kept in its work directory, which is full, read-only or owned by another user.',
      fix: 'free space, or run as the user who owns the work directory',
    },
    zh: {
      problem: '无法读写 {file}：{why}',
      cause: '集群证书保存在其工作目录中，而该目录已满、只读或属于其他用户。',
      fix: '释放空间，或以工作目录所有者的身份运行',
    },
  },
  KX_PKI_NOT_AUTHORITY: {
    kind: 'config',
    en: {
      problem: '{file} in the work directory is not the certificate of an authority',
      cause: 'The file was replaced by something else: a certificate that may not sign others, or no certificate at all.',
      fix: 'put the right certificate back, from a backup or from a master (/etc/kubernetes/pki)',
    },
    zh: {
      problem: '工作目录中的 {file} 不是证书颁发机构的证书',
      cause: '该文件被替换成了不能签发证书的证书，或者根本不是证书。',
      fix: '请从备份或主节点（/etc/kubernetes/pki）恢复正确的证书',
    },
  },
  KX_PKI_AUTHORITY_KEY: {
    kind: 'config',
    en: {
      problem: '{file} in the work directory is missing, or is not the key of the authority beside it',
      cause:
        'Without the key of the authority no certificate of this cluster can be signed, and a new authority would be trusted by nobody.',
      fix: 'put the key back, from a backup or from a master (/etc/kubernetes/pki)',
    },
    zh: {
      problem: '工作目录中的 {file} 不存在，或不是对应颁发机构的私钥',
      cause: '没有颁发机构的私钥就无法为该集群签发证书，而新的颁发机构不会被任何组件信任。',
      fix: '请从备份或主节点（/etc/kubernetes/pki）恢复该私钥',
    },
  },
  KX_PKI_AUTHORITY_ENDED: {
    kind: 'config',
    en: {
      problem: 'the authority {file} ended on {when}',
      cause: 'What an authority signed is worth nothing after its own end.',
      fix: 'rotate the authority: kubexm certs rotate-ca',
    },
    zh: {
      problem: '证书颁发机构 {file} 已于 {when} 到期',
      cause: '颁发机构到期后，其签发的所有证书都不再有效。',
      fix: '请轮换颁发机构：kubexm certs rotate-ca',
    },
  },
  KX_PKI_KEY_KIND: {
    kind: 'config',
    en: {
      problem: 'a key of kind {kind} cannot be used',
      cause: 'Keys are ECDSA (P-256, P-384, P-521) or RSA; kubeadm and etcd accept no others.',
      fix: 'use an ECDSA or RSA key for the authority',
    },
    zh: {
      problem: '不能使用 {kind} 类型的密钥',
      cause: '只支持 ECDSA（P-256、P-384、P-521）或 RSA 密钥；kubeadm 和 etcd 不接受其他类型。',
      fix: '请为颁发机构使用 ECDSA 或 RSA 密钥',
    },
  },
  KX_PKI_EXTERNAL_ETCD: {
    kind: 'config',
    en: {
      problem: '{file}, given under etcd.external, cannot be used: {why}',
      cause: 'The API servers reach your etcd with the files named in the config, which must be there and fit together.',
      fix: 'correct etcd.external.caFile, certFile and keyFile, or the files they name',
    },
    zh: {
      problem: 'etcd.external 中指定的 {file} 无法使用：{why}',
      cause: 'API 服务器使用配置中指定的文件访问您的 etcd，这些文件必须存在且相互匹配。',
      fix: '请修正 etcd.external.caFile、certFile、keyFile 或它们指向的文件',
    },
  },
  KX_PKI_ENCRYPTION_KEY: {
    kind: 'config',
    en: {
      problem: 'the key for encryption at rest is not 32 bytes in base64',
      cause: 'The ciphers of the API server take a key of exactly 32 bytes, written in base64.',
      fix: 'make one with: head -c 32 /dev/urandom | base64; or leave encryptionKey out, and kubexm makes and keeps one',
    },
    zh: {
      problem: '静态加密密钥不是 base64 编码的 32 字节',
      cause: 'API 服务器的加密算法需要恰好 32 字节、以 base64 编码的密钥。',
      fix: '可用以下命令生成：head -c 32 /dev/urandom | base64；或不填 encryptionKey，由 kubexm 生成并保存',
    },
  },
})
