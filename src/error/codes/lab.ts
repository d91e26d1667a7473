import { defineCodes } from '../define.ts'

/** Real test hosts on one machine: `kubexm lab`. */
export const labCodes = defineCodes({
  KX_LAB_UNSUPPORTED: {
    kind: 'preflight',
    en: {
      problem: 'this machine cannot run a lab: {missing}',
      cause: 'Lab hosts are booted by systemd-nspawn, which needs Linux, root, namespaces and cgroups.',
      fix: '{fix}',
    },
    zh: {
      problem: '本机无法运行实验环境：{missing}',
      cause: '实验主机由 systemd-nspawn 启动，需要 Linux、root 权限、命名空间和 cgroup。',
      fix: '{fix}',
    },
  },
  KX_LAB_COMMAND: {
    kind: 'step',
    en: {
      problem: '"{command}" on this machine ended with {code}',
      cause: 'A tool the lab is built with failed on the machine that runs the lab.',
      fix: 'see what it printed; run it by hand to learn more',
    },
    zh: {
      problem: '本机命令 "{command}" 以 {code} 结束',
      cause: '搭建实验环境所用的工具在本机执行失败。',
      fix: '查看其输出；可手动执行以了解详情',
    },
  },
  KX_LAB_NAME: {
    kind: 'usage',
    en: {
      problem: '"{name}" cannot be the name of a {what}',
      cause: 'Names become those of namespaces, cgroups and network links, which are short.',
      fix: 'use at most {limit} lower-case letters, digits and dashes, the first one a letter',
    },
    zh: {
      problem: '"{name}" 不能用作{what}的名称',
      cause: '名称会用于命名空间、cgroup 和网络接口，这些名称都很短。',
      fix: '最多使用 {limit} 个小写字母、数字和短横线，且以字母开头',
    },
  },
  KX_LAB_SHAPE: {
    kind: 'usage',
    en: {
      problem: 'such a lab cannot be made: {what}',
      cause: 'The hosts asked for contradict each other or the size of a lab.',
      fix: 'see "kubexm lab up --help"',
    },
    zh: {
      problem: '无法创建这样的实验环境：{what}',
      cause: '所要求的主机互相矛盾，或超出实验环境的规模。',
      fix: '参见 "kubexm lab up --help"',
    },
  },
  KX_LAB_EXISTS: {
    kind: 'usage',
    en: {
      problem: 'lab {name} is already up',
      cause: 'A lab of this name is running.',
      fix: 'use it, add hosts with "kubexm lab add --name {name}", or take it down with "kubexm lab down --name {name}"',
    },
    zh: {
      problem: '实验环境 {name} 已在运行',
      cause: '同名的实验环境正在运行。',
      fix: '直接使用，或用 "kubexm lab add --name {name}" 增加主机，或用 "kubexm lab down --name {name}" 关闭',
    },
  },
  KX_LAB_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'there is no lab named {name}',
      cause: 'It was never brought up, or has been taken down.',
      fix: 'see "kubexm lab status", or bring it up with "kubexm lab up --name {name}"',
    },
    zh: {
      problem: '没有名为 {name} 的实验环境',
      cause: '从未启动过，或已被关闭。',
      fix: '查看 "kubexm lab status"，或用 "kubexm lab up --name {name}" 启动',
    },
  },
  KX_LAB_HOST_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'lab {name} has no host {host}',
      cause: 'The host was never added, or has been removed.',
      fix: 'see "kubexm lab status --name {name}"',
    },
    zh: {
      problem: '实验环境 {name} 中没有主机 {host}',
      cause: '该主机从未添加，或已被移除。',
      fix: '查看 "kubexm lab status --name {name}"',
    },
  },
  KX_LAB_HOST_STATE: {
    kind: 'usage',
    en: {
      problem: 'host {host} is {state}',
      cause: 'The host must be running for this, or off for that.',
      fix: 'see "kubexm lab status"; start or kill the host first',
    },
    zh: {
      problem: '主机 {host} 处于 {state} 状态',
      cause: '该操作要求主机正在运行，或已关机。',
      fix: '查看 "kubexm lab status"；先启动或关闭该主机',
    },
  },
  KX_LAB_BOOT: {
    kind: 'step',
    en: {
      problem: 'host {host} did not come up: {why}',
      cause: 'systemd-nspawn could not start the host, or its sshd did not answer in time.',
      fix: 'read {log}, then take the lab down and up again',
    },
    zh: {
      problem: '主机 {host} 未能启动：{why}',
      cause: 'systemd-nspawn 无法启动该主机，或其 sshd 未及时响应。',
      fix: '查看 {log}，然后关闭并重新启动实验环境',
    },
  },
  KX_LAB_SUPERVISOR: {
    kind: 'step',
    en: {
      problem: 'the supervisor of lab {name} is gone',
      cause: 'The process that looks after the hosts was killed, or the machine was restarted.',
      fix: '"kubexm lab up --name {name}" starts the hosts again as after a power loss, "kubexm lab down --name {name}" removes them; its log is {log}',
    },
    zh: {
      problem: '实验环境 {name} 的守护进程已退出',
      cause: '负责管理主机的进程被杀死，或本机已重启。',
      fix: '"kubexm lab up --name {name}" 可如断电后一样重新启动主机，"kubexm lab down --name {name}" 可移除它们；日志位于 {log}',
    },
  },
  KX_LAB_LEFTOVERS: {
    kind: 'step',
    en: {
      problem: 'lab {name} could not be removed completely: {what}',
      cause: 'A process or mount of the lab does not go away.',
      fix: 'end what holds it, then run "kubexm lab down --name {name}" again',
    },
    zh: {
      problem: '实验环境 {name} 未能完全移除：{what}',
      cause: '实验环境的某个进程或挂载无法消失。',
      fix: '结束占用它的程序，然后再次执行 "kubexm lab down --name {name}"',
    },
  },
})
