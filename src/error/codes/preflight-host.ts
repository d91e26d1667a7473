import { defineCodes } from '../define.ts'

/** What preflight finds about a machine itself: its system, size, names, clock and disk. */
export const preflightHostCodes = defineCodes({
  KX_OS_UNSUPPORTED: {
    kind: 'preflight',
    en: {
      problem: '{name} is of no family kubexm can install on',
      cause: 'Packages come from apt, dnf or yum; other systems lack them.',
      fix: 'use a distribution of the Debian or Red Hat family',
    },
    zh: {
      problem: '{name} 不属于 kubexm 支持安装的发行版系列',
      cause: '软件包来自 apt、dnf 或 yum；其他系统没有这些工具。',
      fix: '使用 Debian 或 Red Hat 系列的发行版',
    },
  },
  KX_OS_UNTESTED: {
    kind: 'preflight',
    en: {
      problem: '{name} is not among the tested distributions; it is treated as one of the {family} family',
      cause: 'The distribution is known only by its ID_LIKE.',
      fix: 'nothing to do; if a step fails, report it with the name of the distribution',
    },
    zh: {
      problem: '{name} 不在已测试的发行版之列；按 {family} 系列处理',
      cause: '仅通过 ID_LIKE 识别该发行版。',
      fix: '无需处理；若有步骤失败，请附发行版名称反馈',
    },
  },
  KX_ARCH_UNSUPPORTED: {
    kind: 'preflight',
    en: {
      problem: 'the processor architecture {arch} has no Kubernetes binaries here',
      cause: 'kubexm installs for amd64 and arm64.',
      fix: 'use an amd64 or arm64 machine',
    },
    zh: {
      problem: '处理器架构 {arch} 没有可用的 Kubernetes 二进制文件',
      cause: 'kubexm 支持 amd64 和 arm64。',
      fix: '使用 amd64 或 arm64 机器',
    },
  },
  KX_ARCH_MISMATCH: {
    kind: 'preflight',
    en: {
      problem: 'the processor architecture is {seen}, the config says {wanted}',
      cause: 'Binaries for another processor would not start.',
      fix: 'write arch: {seen} for this host in spec.hosts, or leave it out',
    },
    zh: {
      problem: '处理器架构为 {seen}，而配置写的是 {wanted}',
      cause: '其他架构的二进制文件无法启动。',
      fix: '在 spec.hosts 中为该主机写 arch: {seen}，或省略该项',
    },
  },
  KX_NO_SYSTEMD: {
    kind: 'preflight',
    en: {
      problem: 'the first process is {init}, not systemd',
      cause: 'Every service kubexm installs is a systemd unit.',
      fix: 'use a system that boots with systemd',
    },
    zh: {
      problem: '1 号进程是 {init}，而不是 systemd',
      cause: 'kubexm 安装的每个服务都是 systemd 单元。',
      fix: '使用以 systemd 启动的系统',
    },
  },
  KX_CPU_TOO_FEW: {
    kind: 'preflight',
    en: {
      problem: '{cpus} CPU, at least {least} are needed for {roles}',
      cause: 'The control plane and the kubelet starve on fewer.',
      fix: 'give the machine more CPUs, or lower preflight.minCPUCores',
    },
    zh: {
      problem: '有 {cpus} 个 CPU，{roles} 至少需要 {least} 个',
      cause: 'CPU 过少时控制平面和 kubelet 无法正常工作。',
      fix: '增加 CPU，或调低 preflight.minCPUCores',
    },
  },
  KX_MEMORY_TOO_SMALL: {
    kind: 'preflight',
    en: {
      problem: '{mib} MiB of memory, at least {least} MiB are needed for {roles}',
      cause: 'With less memory processes are killed under load.',
      fix: 'give the machine more memory, or lower preflight.{field}',
    },
    zh: {
      problem: '内存 {mib} MiB，{roles} 至少需要 {least} MiB',
      cause: '内存不足时进程会在负载下被终止。',
      fix: '增加内存，或调低 preflight.{field}',
    },
  },
  KX_DISK_TOO_SMALL: {
    kind: 'preflight',
    en: {
      problem: '{mount} has {free} MiB free, {need} MiB are needed for {paths}',
      cause: 'Images, logs or the etcd database would fill the disk.',
      fix: 'free space on {mount}, or mount a larger disk for one of these directories',
    },
    zh: {
      problem: '{mount} 剩余 {free} MiB，{paths} 需要 {need} MiB',
      cause: '镜像、日志或 etcd 数据库会占满磁盘。',
      fix: '释放 {mount} 的空间，或为这些目录之一挂载更大的磁盘',
    },
  },
  KX_HOSTNAME: {
    kind: 'preflight',
    en: {
      problem: 'the host is called {seen}, the config calls it {name}',
      cause: 'The name of a host becomes its node name.',
      fix: 'nothing to do: kubexm names it {name}',
    },
    zh: { problem: '主机名为 {seen}，配置中为 {name}', cause: '主机名将成为节点名。', fix: '无需处理：kubexm 会将其命名为 {name}' },
  },
  KX_HOSTNAME_KEPT: {
    kind: 'preflight',
    en: {
      problem: 'the host is called {seen}, the config calls it {name}, and system.skipConfigureOS forbids to rename it',
      cause: 'The name of a host becomes its node name.',
      fix: 'run "hostnamectl set-hostname {name}" on the host',
    },
    zh: {
      problem: '主机名为 {seen}，配置中为 {name}，而 system.skipConfigureOS 禁止改名',
      cause: '主机名将成为节点名。',
      fix: '在主机上执行 "hostnamectl set-hostname {name}"',
    },
  },
  KX_DUPLICATE_HOSTNAME: {
    kind: 'preflight',
    en: {
      problem: '{others} is called {name} as well',
      cause: 'Machines made from one image keep its name; nodes must have different names.',
      fix: 'kubexm gives each host its name of the config, unless system.skipConfigureOS is true: then rename it yourself',
    },
    zh: {
      problem: '{others} 的主机名也是 {name}',
      cause: '由同一镜像创建的机器会保留其名称；节点名必须互不相同。',
      fix: 'kubexm 会按配置为每台主机命名，除非 system.skipConfigureOS 为 true：此时请自行改名',
    },
  },
  KX_DUPLICATE_MACHINE_ID: {
    kind: 'preflight',
    en: {
      problem: '{others} has the same machine id {id}',
      cause: 'Machines made from one image keep its /etc/machine-id; DHCP leases, logs and some network plugins confuse them.',
      fix: 'on the host: rm -f /etc/machine-id /var/lib/dbus/machine-id && systemd-machine-id-setup, then reboot',
    },
    zh: {
      problem: '{others} 具有相同的 machine-id {id}',
      cause: '由同一镜像创建的机器会保留 /etc/machine-id；DHCP、日志和某些网络插件会混淆它们。',
      fix: '在主机上执行：rm -f /etc/machine-id /var/lib/dbus/machine-id && systemd-machine-id-setup，然后重启',
    },
  },
  KX_DUPLICATE_PRODUCT_UUID: {
    kind: 'preflight',
    en: {
      problem: '{others} has the same product UUID {id}',
      cause:
        'The machines were cloned, or the vendor gave all boards one UUID. Kubernetes shows it as systemUUID, and storage drivers may go by it.',
      fix: 'give the virtual machine a UUID of its own; on real hardware it can usually be ignored',
    },
    zh: {
      problem: '{others} 具有相同的产品 UUID {id}',
      cause: '机器是克隆的，或厂商给所有主板使用同一 UUID。Kubernetes 将其显示为 systemUUID，存储驱动可能依赖它。',
      fix: '为虚拟机设置独立的 UUID；物理机上通常可以忽略',
    },
  },
  KX_CLOCK_SKEW: {
    kind: 'preflight',
    en: {
      problem: 'the clock differs from that of this machine by {offset} s, {limit} s are allowed',
      cause: 'Certificates made here are not valid yet there, or tokens are too old.',
      fix: 'set both clocks by a time service; with system.ntpServers kubexm sets it up on the hosts',
    },
    zh: {
      problem: '时钟与本机相差 {offset} 秒，允许 {limit} 秒',
      cause: '在本机签发的证书在主机上尚未生效，或令牌已过期。',
      fix: '用时间服务校准两端时钟；配置 system.ntpServers 后 kubexm 会在主机上设置',
    },
  },
  KX_CLOCK_APART: {
    kind: 'preflight',
    en: {
      problem: 'the clock differs from those of the other hosts by {offset} s, {limit} s are allowed',
      cause: 'etcd elections, leases and certificates need clocks that agree.',
      fix: 'set the clock by a time service; with system.ntpServers kubexm sets it up',
    },
    zh: {
      problem: '时钟与其他主机相差 {offset} 秒，允许 {limit} 秒',
      cause: 'etcd 选举、租约和证书要求时钟一致。',
      fix: '用时间服务校准时钟；配置 system.ntpServers 后 kubexm 会设置',
    },
  },
  KX_TIME_SERVICE: {
    kind: 'preflight',
    en: {
      problem: 'no time service is running',
      cause: 'Clocks drift apart without one.',
      fix: 'nothing to do: kubexm sets up chrony with system.ntpServers',
    },
    zh: { problem: '没有运行时间服务', cause: '没有时间服务时钟会逐渐偏离。', fix: '无需处理：kubexm 会按 system.ntpServers 设置 chrony' },
  },
  KX_TIME_SERVICE_KEPT: {
    kind: 'preflight',
    en: {
      problem: 'no time service is running, and the config leaves it so',
      cause: 'Clocks drift apart without one.',
      fix: 'name time servers in system.ntpServers, or install and start chrony on the host',
    },
    zh: {
      problem: '没有运行时间服务，且配置未要求设置',
      cause: '没有时间服务时钟会逐渐偏离。',
      fix: '在 system.ntpServers 中列出时间服务器，或在主机上安装并启动 chrony',
    },
  },
  KX_HOSTS_CONFLICT: {
    kind: 'preflight',
    en: {
      problem: '/etc/hosts calls {address} {name}, which is {wanted}',
      cause: 'The first line that names a host counts, and this one comes before the lines of kubexm.',
      fix: 'remove the line "{address} … {name}" from /etc/hosts',
    },
    zh: {
      problem: '/etc/hosts 将 {address} 命名为 {name}，而其地址是 {wanted}',
      cause: '最先出现的行生效，它位于 kubexm 的行之前。',
      fix: '从 /etc/hosts 中删除 "{address} … {name}" 一行',
    },
  },
  KX_LOCALHOST: {
    kind: 'preflight',
    en: {
      problem: '/etc/hosts does not say that localhost is 127.0.0.1',
      cause: 'Health checks of the kubelet and of kubeadm ask localhost.',
      fix: 'add the line "127.0.0.1 localhost" to /etc/hosts',
    },
    zh: {
      problem: '/etc/hosts 没有将 localhost 指向 127.0.0.1',
      cause: 'kubelet 和 kubeadm 的健康检查会访问 localhost。',
      fix: '在 /etc/hosts 中添加 "127.0.0.1 localhost"',
    },
  },
  KX_ETCD_DISK_SLOW: {
    kind: 'preflight',
    en: {
      problem: 'a synced write to {directory} takes {ms} ms on average, etcd wants less than {limit} ms',
      cause: 'etcd syncs every change to disk before it answers; a slow disk makes leaders change and requests time out.',
      fix: 'put etcd.dataDir on an SSD or NVMe disk of its own',
    },
    zh: {
      problem: '向 {directory} 同步写入平均耗时 {ms} 毫秒，etcd 要求低于 {limit} 毫秒',
      cause: 'etcd 在应答前将每次变更同步到磁盘；慢盘会导致频繁选主和请求超时。',
      fix: '将 etcd.dataDir 放到独立的 SSD 或 NVMe 磁盘上',
    },
  },
})
