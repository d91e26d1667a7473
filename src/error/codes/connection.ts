import { defineCodes } from '../define.ts'

/** Reaching a machine over SSH and logging in. */
export const connectionCodes = defineCodes({
  KX_CONNECT_DNS: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: 'the name {address} cannot be resolved',
      cause: 'The name of the machine is misspelled or not known to the resolver of this machine.',
      fix: 'write an IP address in spec.hosts, or add {address} to DNS or /etc/hosts of this machine',
    },
    zh: {
      problem: '无法解析名称 {address}',
      cause: '机器名拼写有误，或本机的解析器不认识它。',
      fix: '在 spec.hosts 中写 IP 地址，或将 {address} 加入 DNS 或本机 /etc/hosts',
    },
  },
  KX_CONNECT_REFUSED: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: '{address}:{port} refuses the connection',
      cause: 'The machine is up but nothing listens on this port, or a firewall rejects it.',
      fix: 'start sshd there, or correct the port in spec.hosts',
    },
    zh: {
      problem: '{address}:{port} 拒绝连接',
      cause: '机器在线，但该端口无服务监听，或被防火墙拒绝。',
      fix: '在该机器上启动 sshd，或更正 spec.hosts 中的端口',
    },
  },
  KX_CONNECT_TIMEOUT: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: '{address}:{port} did not answer within {limit}',
      cause: 'The machine is off, a firewall drops the packets, or its sshd is too busy to greet.',
      fix: 'check that "ssh -p {port} {user}@{address}" works from this machine',
    },
    zh: {
      problem: '{address}:{port} 在 {limit} 内无应答',
      cause: '机器关机、防火墙丢弃数据包，或 sshd 过于繁忙。',
      fix: '检查从本机执行 "ssh -p {port} {user}@{address}" 是否可行',
    },
  },
  KX_CONNECT_UNREACHABLE: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: 'there is no way to {address}:{port}: {why}',
      cause: 'No route leads to the address, or a router reports it as unreachable.',
      fix: 'check address and routes, or name a jump host',
    },
    zh: {
      problem: '无法到达 {address}:{port}：{why}',
      cause: '没有通往该地址的路由，或路由器报告不可达。',
      fix: '检查地址和路由，或配置跳板机',
    },
  },
  KX_CONNECT_JUMP: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: 'jump host {jump} cannot reach {address}:{port}',
      cause: 'The jump host refuses to forward (AllowTcpForwarding) or cannot connect onwards itself.',
      fix: 'on {jump} try "nc -z {address} {port}", and allow TCP forwarding in its sshd_config',
    },
    zh: {
      problem: '跳板机 {jump} 无法连接 {address}:{port}',
      cause: '跳板机禁止转发（AllowTcpForwarding），或自身无法连通目标。',
      fix: '在 {jump} 上执行 "nc -z {address} {port}"，并在其 sshd_config 中允许 TCP 转发',
    },
  },
  KX_CONNECT_PROTOCOL: {
    kind: 'connection',
    en: {
      problem: '{address}:{port} does not speak SSH as kubexm does: {why}',
      cause: 'Another service listens on this port, or the server shares no algorithm with us.',
      fix: 'correct the port, or update the SSH server',
    },
    zh: {
      problem: '与 {address}:{port} 的 SSH 协商失败：{why}',
      cause: '该端口是其他服务，或服务器与我们没有共同的算法。',
      fix: '更正端口，或升级 SSH 服务器',
    },
  },
  KX_AUTH: {
    kind: 'connection',
    en: {
      problem: '{address} does not let {user} in; tried: {tried}; it accepts: {accepted}',
      cause: 'The password or key is wrong, the key is not in authorized_keys, or the server forbids the method.',
      fix: 'check that "ssh {user}@{address}" works with the same credentials, or correct them in spec.hosts',
    },
    zh: {
      problem: '{address} 拒绝用户 {user} 登录；已尝试：{tried}；服务器接受：{accepted}',
      cause: '密码或密钥错误、密钥不在 authorized_keys 中，或服务器禁止该方式。',
      fix: '检查用相同凭据执行 "ssh {user}@{address}" 是否可行，或更正 spec.hosts 中的凭据',
    },
  },
  KX_SSH_KEY: {
    kind: 'config',
    en: {
      problem: 'the private key {key} cannot be used: {why}',
      cause: 'The file is missing or unreadable, the passphrase is missing or wrong, or it is not a private key.',
      fix: 'check the path and the passphrase ("ssh-keygen -y -f {key}" must print the public key)',
    },
    zh: {
      problem: '私钥 {key} 不可用：{why}',
      cause: '文件不存在或不可读、口令缺失或错误，或不是私钥。',
      fix: '检查路径和口令（"ssh-keygen -y -f {key}" 应能输出公钥）',
    },
  },
  KX_SSH_CONFIG: {
    kind: 'config',
    en: {
      problem: '{file} cannot be used: {why}',
      cause: 'The SSH client configuration has a line that cannot be understood.',
      fix: 'mend the file; "ssh -G HOST" shows what OpenSSH makes of it',
    },
    zh: {
      problem: '{file} 不可用：{why}',
      cause: 'SSH 客户端配置中有无法理解的行。',
      fix: '修正该文件；"ssh -G HOST" 可查看 OpenSSH 的解析结果',
    },
  },
  KX_HOST_KEY_CHANGED: {
    kind: 'connection',
    en: {
      problem: 'the host key of {name} is not the one in {file}:{line}; it shows {fingerprint}',
      cause: 'The machine was installed anew, its address now belongs to another machine, or someone is in between.',
      fix: `if the change is expected: ssh-keygen -R '{name}' -f {file}`,
    },
    zh: {
      problem: '{name} 的主机密钥与 {file}:{line} 中的不一致；当前为 {fingerprint}',
      cause: '机器被重装、地址已属于另一台机器，或存在中间人。',
      fix: `若确认变更正常：ssh-keygen -R '{name}' -f {file}`,
    },
  },
  KX_HOST_KEY_REVOKED: {
    kind: 'connection',
    en: {
      problem: 'the host key of {name} ({fingerprint}) is marked as revoked in {file}:{line}',
      cause: 'Somebody declared this key as compromised.',
      fix: 'give the machine a new host key',
    },
    zh: {
      problem: '{name} 的主机密钥（{fingerprint}）在 {file}:{line} 中被标记为已吊销',
      cause: '该密钥已被声明泄露。',
      fix: '为该机器更换主机密钥',
    },
  },
  KX_HOST_KEY_UNKNOWN: {
    kind: 'connection',
    en: {
      problem: 'the host key of {name} is not known; it shows {fingerprint}',
      cause: 'Unknown host keys are refused by the configuration.',
      fix: 'compare the fingerprint on the machine itself, then add the key to known_hosts with ssh-keyscan',
    },
    zh: {
      problem: '{name} 的主机密钥未知；当前为 {fingerprint}',
      cause: '配置要求拒绝未知的主机密钥。',
      fix: '在该机器上核对指纹后，用 ssh-keyscan 将密钥加入 known_hosts',
    },
  },
  KX_CONNECTION_LOST: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: 'the connection to {address} was lost: {why}',
      cause: 'The machine rebooted, its sshd was stopped, or the network between failed.',
      fix: 'when the machine is back, run the same command with --resume',
    },
    zh: {
      problem: '与 {address} 的连接中断：{why}',
      cause: '机器重启、sshd 被停止，或网络中断。',
      fix: '机器恢复后，用 --resume 重新执行同一命令',
    },
  },
  KX_HOST_SILENT: {
    kind: 'connection',
    en: {
      problem: '{title} did not finish within {limit}, and the host does not answer any more',
      cause: 'The machine hangs, or the network to it is cut: the connection still stands, but nothing comes back.',
      fix: 'when the machine answers again, run the same command with --resume',
    },
    zh: {
      problem: '{title} 未能在 {limit} 内完成，且主机不再应答',
      cause: '机器卡死，或到它的网络已中断：连接仍在，但没有任何回应。',
      fix: '机器恢复应答后，用 --resume 重新执行同一命令',
    },
  },
  KX_CHANNEL_LIMIT: {
    kind: 'connection',
    retryable: true,
    en: {
      problem: '{address} opens no session for us: {why}',
      cause: 'sshd allows no sessions on this connection (MaxSessions), or the machine is out of processes or memory.',
      fix: 'raise MaxSessions in sshd_config of the machine, or free resources on it',
    },
    zh: {
      problem: '{address} 不允许打开会话：{why}',
      cause: 'sshd 不允许该连接打开会话（MaxSessions），或机器的进程或内存耗尽。',
      fix: '调大该机器 sshd_config 中的 MaxSessions，或释放其资源',
    },
  },
  KX_LOGIN_SHELL: {
    kind: 'connection',
    en: {
      problem: 'the login of {user} on {address} does not run commands: {why}',
      cause: 'The login shell is nologin or false, or sshd forces another command (ForceCommand, internal-sftp).',
      fix: 'give {user} an ordinary shell ("chsh -s /bin/sh {user}"), or use another login in spec.hosts',
    },
    zh: {
      problem: '{address} 上用户 {user} 的登录无法执行命令：{why}',
      cause: '登录 shell 为 nologin 或 false，或 sshd 强制执行其他命令（ForceCommand、internal-sftp）。',
      fix: '为 {user} 设置普通 shell（"chsh -s /bin/sh {user}"），或在 spec.hosts 中使用其他用户',
    },
  },
})
