import { defineCodes } from '../define.ts'

/** Working on a machine that is reached: commands, root, files, services, packages, kernel. */
export const hostCodes = defineCodes({
  KX_COMMAND: {
    kind: 'step',
    en: {
      problem: '"{command}" ended with {code}',
      cause: 'A command on the host failed.',
      fix: 'see what it printed; run it by hand on the host to learn more',
    },
    zh: { problem: '"{command}" 以 {code} 结束', cause: '主机上的命令执行失败。', fix: '查看其输出；可在主机上手动执行以了解详情' },
  },
  KX_SUDO: {
    kind: 'connection',
    en: {
      problem: 'user {user} cannot become root: {why}',
      cause: 'kubexm works as root; the login user has no sudo, needs a password that is missing or wrong, or sudo is not installed.',
      fix: `give {user} sudo, e.g. echo '{user} ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/kubexm, or write its password in spec.hosts, or log in as root`,
    },
    zh: {
      problem: '用户 {user} 无法成为 root：{why}',
      cause: 'kubexm 需要 root 权限；登录用户没有 sudo 权限、缺少密码或密码错误，或未安装 sudo。',
      fix: `为 {user} 配置 sudo，例如 echo '{user} ALL=(ALL) NOPASSWD:ALL' > /etc/sudoers.d/kubexm，或在 spec.hosts 中写入密码，或以 root 登录`,
    },
  },
  KX_FILE: {
    kind: 'step',
    en: {
      problem: '{action} {path} failed: {why}',
      cause: 'The disk is full or read-only, or something else stands at this path.',
      fix: 'mend what is named, then run the same command with --resume',
    },
    zh: {
      problem: '{action} {path} 失败：{why}',
      cause: '磁盘已满或只读，或该路径上存在其他内容。',
      fix: '解决所述问题后，用 --resume 重新执行同一命令',
    },
  },
  KX_HOST_DISK_FULL: {
    kind: 'step',
    en: {
      problem: 'a disk of the host is full: {what}',
      cause: 'What was to be written does not fit any more: the disk below that path has no room, or the quota is used up.',
      fix: 'free space there ("df -h" on the host shows which disk it is), or mount a larger one, then run the same command with --resume',
    },
    zh: {
      problem: '主机磁盘已满：{what}',
      cause: '要写入的内容已放不下：该路径所在磁盘没有空间，或配额已用完。',
      fix: '释放空间（在主机上用 "df -h" 查看是哪个磁盘），或挂载更大的磁盘，然后用 --resume 重新执行同一命令',
    },
  },
  KX_EXEC_FORMAT: {
    kind: 'step',
    en: {
      problem: 'the host cannot execute a program: {what}',
      cause: 'The program is made for another architecture than the host has, or was damaged.',
      fix: 'see that the mirror or bundle has programs for the architecture of the host, and hosts[].arch is right, then run the same command with --resume',
    },
    zh: {
      problem: '主机无法执行程序：{what}',
      cause: '该程序是为其他架构制作的，或已损坏。',
      fix: '确认镜像站或离线包中的程序与主机架构一致、hosts[].arch 正确，然后用 --resume 重新执行同一命令',
    },
  },
  KX_LOCAL_FILE: {
    kind: 'step',
    en: {
      problem: 'the local file {path} cannot be used: {why}',
      cause: 'A file of this machine is missing, unreadable or cannot be written.',
      fix: 'check the file and the free space on this machine',
    },
    zh: { problem: '本地文件 {path} 不可用：{why}', cause: '本机文件不存在、不可读或不可写。', fix: '检查该文件及本机剩余空间' },
  },
  KX_TOOL_MISSING: {
    kind: 'step',
    en: { problem: 'the program {tool} is not on the host', cause: 'A minimal installation lacks it.', fix: 'install {tool} on the host' },
    zh: { problem: '主机上没有程序 {tool}', cause: '最小化安装缺少该程序。', fix: '在主机上安装 {tool}' },
  },
  KX_SERVICE: {
    kind: 'step',
    en: {
      problem: '{unit} did not {action}',
      cause: "systemd could not do it; the unit's last log lines are shown.",
      fix: 'see "systemctl status {unit}" and "journalctl -u {unit}" on the host',
    },
    zh: {
      problem: '{unit} 未能 {action}',
      cause: 'systemd 无法完成该操作；已显示该单元的最后几行日志。',
      fix: '在主机上查看 "systemctl status {unit}" 和 "journalctl -u {unit}"',
    },
  },
  KX_PACKAGE_MANAGER: {
    kind: 'step',
    en: {
      problem: 'the host has no package manager that kubexm knows (apt, dnf, yum)',
      cause: 'The distribution is of another family.',
      fix: 'install the needed packages by hand: {names}',
    },
    zh: {
      problem: '主机上没有 kubexm 支持的包管理器（apt、dnf、yum）',
      cause: '该发行版属于其他系列。',
      fix: '手动安装所需的软件包：{names}',
    },
  },
  KX_PACKAGE: {
    kind: 'step',
    en: {
      problem: '{action} {names} failed',
      cause: 'The package does not exist in the configured sources, a dependency is missing, or the sources cannot be reached.',
      fix: 'see what the package manager printed; check the package sources of the host',
    },
    zh: {
      problem: '{action} {names} 失败',
      cause: '软件源中没有该包、缺少依赖，或软件源不可达。',
      fix: '查看包管理器的输出；检查主机的软件源',
    },
  },
  KX_PACKAGE_LOCKED: {
    kind: 'step',
    retryable: true,
    en: {
      problem: 'another program has held the package lock for {limit}',
      cause: 'Unattended upgrades or another package manager is running, or has died and left its lock.',
      fix: 'wait for it or stop it on the host ("ps aux | grep -E \'apt|dpkg|dnf|yum\'"), then run with --resume',
    },
    zh: {
      problem: '其他程序占用包管理锁已达 {limit}',
      cause: '自动更新或其他包管理器正在运行，或异常退出后遗留了锁。',
      fix: '等待或在主机上停止它（"ps aux | grep -E \'apt|dpkg|dnf|yum\'"），然后用 --resume 重新执行',
    },
  },
  KX_SYSCTL_READONLY: {
    kind: 'step',
    en: {
      problem: 'sysctl {key} is {current} and cannot be set to {value}: it is read-only here',
      cause: 'The host is a container or its kernel forbids the change.',
      fix: 'set {key}={value} on the machine that owns the kernel',
    },
    zh: {
      problem: 'sysctl {key} 当前为 {current}，无法设为 {value}：此处只读',
      cause: '主机是容器，或内核禁止修改。',
      fix: '在拥有该内核的机器上设置 {key}={value}',
    },
  },
  KX_SYSCTL_UNKNOWN: {
    kind: 'step',
    en: {
      problem: 'the kernel of the host has no sysctl {key}',
      cause: 'The module that brings it is not loaded, or the kernel is built without it.',
      fix: 'load the module that provides {key} (br_netfilter for net.bridge.*, nf_conntrack for net.netfilter.*)',
    },
    zh: {
      problem: '主机内核没有 sysctl {key}',
      cause: '提供该项的模块未加载，或内核未编译该功能。',
      fix: '加载提供 {key} 的模块（net.bridge.* 为 br_netfilter，net.netfilter.* 为 nf_conntrack）',
    },
  },
  KX_SYSCTL_INVALID: {
    kind: 'step',
    en: {
      problem: 'the kernel does not take {value} for sysctl {key}: it is still {current}',
      cause: 'The value is out of range or of the wrong kind.',
      fix: 'correct the value of {key} in the config',
    },
    zh: {
      problem: '内核不接受 sysctl {key} 的值 {value}：当前仍为 {current}',
      cause: '值超出范围或类型错误。',
      fix: '更正配置中 {key} 的值',
    },
  },
  KX_MODULE_MISSING: {
    kind: 'step',
    en: {
      problem: 'the kernel of the host ({kernel}) has no module {module}',
      cause: 'The module is neither loaded nor built in, and modprobe cannot find it.',
      fix: 'install the package with the extra modules of this kernel, or choose a feature that does not need {module}',
    },
    zh: {
      problem: '主机内核（{kernel}）没有模块 {module}',
      cause: '该模块未加载也未内置，modprobe 也找不到。',
      fix: '安装该内核的附加模块包，或选择不需要 {module} 的功能',
    },
  },
  KX_TIMEZONE: {
    kind: 'step',
    en: {
      problem: 'the host does not know the time zone {zone}',
      cause: 'The name is misspelled or the package tzdata is not installed.',
      fix: 'correct the name, or install tzdata on the host',
    },
    zh: { problem: '主机不认识时区 {zone}', cause: '名称拼写有误，或未安装 tzdata。', fix: '更正名称，或在主机上安装 tzdata' },
  },
})
