import { defineCodes } from '../define.ts'

/** Planning, running, journaling and locking. */
export const engineCodes = defineCodes({
  KX_BUG: {
    kind: 'bug',
    en: {
      problem: 'kubexm made a mistake: {what}',
      cause: 'A condition that can only be false when kubexm itself is wrong.',
      fix: 'report this with what the same command prints with KUBEXM_DEBUG=1; what was done is kept, and --resume goes on from there',
    },
    zh: {
      problem: 'kubexm 内部错误：{what}',
      cause: '只有 kubexm 自身有缺陷时才会出现。',
      fix: '请设置 KUBEXM_DEBUG=1 再次运行同一命令，并附上其输出提交问题；已完成的工作会保留，可用 --resume 继续',
    },
  },
  KX_USAGE: {
    kind: 'usage',
    en: {
      problem: '{what}',
      cause: 'The command line has a flag or argument that kubexm does not understand.',
      fix: 'see "kubexm {command} --help"',
    },
    zh: { problem: '{what}', cause: '命令行中有 kubexm 无法识别的参数。', fix: '参见 "kubexm {command} --help"' },
  },
  KX_PLAN_INVALID: {
    kind: 'bug',
    en: {
      problem: 'the plan is not valid: {what}',
      cause: 'A pipeline was put together wrongly: a cycle, a missing or doubled node, or a value nobody provides.',
      fix: 'report this with the config (secrets removed)',
    },
    zh: {
      problem: '执行计划无效：{what}',
      cause: '流水线组装有误：存在环、缺失或重复的节点，或者有值无人提供。',
      fix: '请附上（去除密钥后的）配置提交问题',
    },
  },
  KX_PLAN_MOVED: {
    kind: 'config',
    en: {
      problem: 'the saved plan {file} no longer fits: {what}',
      cause: 'The config or the facts of a host have changed since the plan was saved.',
      fix: 'make a new plan with --plan-out, review it, and apply that one',
    },
    zh: {
      problem: '已保存的计划 {file} 不再适用：{what}',
      cause: '保存计划之后，配置或主机状态发生了变化。',
      fix: '用 --plan-out 重新生成计划，审阅后再执行',
    },
  },
  KX_PLAN_UNREADABLE: {
    kind: 'usage',
    en: {
      problem: 'cannot read the saved plan {file}: {why}',
      cause: 'The file is not there, or it is not one that --plan-out has written.',
      fix: 'give the file that "--plan-out" has written',
    },
    zh: {
      problem: '无法读取已保存的计划 {file}：{why}',
      cause: '文件不存在，或不是由 --plan-out 写入的文件。',
      fix: '请指定由 "--plan-out" 写入的文件',
    },
  },
  KX_STEP_FAILED: {
    kind: 'step',
    en: {
      problem: '{title} failed: {why}',
      cause: 'A step did not do what it should on a host.',
      fix: 'mend the cause named above, then run the same command with --resume',
    },
    zh: { problem: '{title} 失败：{why}', cause: '某个步骤在主机上未能完成。', fix: '解决上述原因后，用 --resume 重新执行同一命令' },
  },
  KX_STEP_TIMEOUT: {
    kind: 'step',
    en: {
      problem: '{title} did not finish within {limit}',
      cause: 'The host is slow or stuck, or what the step waits for does not come.',
      fix: 'look at the last lines above, mend the host, then run the same command with --resume',
    },
    zh: {
      problem: '{title} 未能在 {limit} 内完成',
      cause: '主机缓慢或卡住，或所等待的条件一直不满足。',
      fix: '查看上面的最后几行输出，修复主机后用 --resume 重新执行',
    },
  },
  KX_VERIFY_FAILED: {
    kind: 'step',
    en: {
      problem: '{title} ran, but its result is not there: {what}',
      cause: 'The change was made and something undid it, or it did not take effect.',
      fix: 'look for another tool that manages the same thing on this host, then run with --resume',
    },
    zh: {
      problem: '{title} 已执行，但结果未生效：{what}',
      cause: '改动后又被其他程序撤销，或未生效。',
      fix: '检查该主机上是否有其他工具在管理同一内容，然后用 --resume 重新执行',
    },
  },
  KX_ROLLBACK_FAILED: {
    kind: 'rollback',
    en: {
      problem: 'undoing "{title}" failed: {why}',
      cause: 'The host refused the change back, or could not be reached any more.',
      fix: 'mend the host, then run the same command with --resume, or delete the cluster',
    },
    zh: { problem: '撤销 "{title}" 失败：{why}', cause: '主机拒绝恢复，或已无法连接。', fix: '修复主机后用 --resume 重新执行，或删除集群' },
  },
  KX_CANCELLED: {
    kind: 'cancelled',
    en: {
      problem: 'cancelled',
      cause: 'The run was interrupted by the user or by a signal.',
      fix: 'run the same command with --resume to continue',
    },
    zh: { problem: '已取消', cause: '用户或信号中断了运行。', fix: '用 --resume 重新执行同一命令以继续' },
  },
  KX_JOURNAL_WRITE: {
    kind: 'step',
    en: {
      problem: 'cannot write the journal {file}: {why}',
      cause: 'The disk of this machine is full or read-only. Nothing is changed on a host that is not journaled first.',
      fix: 'free space or mend the disk, then run the same command with --resume',
    },
    zh: {
      problem: '无法写入日志文件 {file}：{why}',
      cause: '本机磁盘已满或只读。未先记录日志的改动不会在主机上执行。',
      fix: '释放空间或修复磁盘后用 --resume 重新执行',
    },
  },
  KX_JOURNAL_CORRUPT: {
    kind: 'config',
    en: {
      problem: '{file}:{line} is not a journal entry',
      cause: 'The journal was edited or the disk lost data in the middle of it.',
      fix: 'put the file back from a backup, or run without --resume: every step checks the host first',
    },
    zh: {
      problem: '{file}:{line} 不是有效的日志条目',
      cause: '日志被修改，或磁盘丢失了中间的数据。',
      fix: '从备份恢复该文件，或不带 --resume 运行：每个步骤都会先检查主机',
    },
  },
  KX_NOTHING_TO_RESUME: {
    kind: 'usage',
    en: {
      problem: 'there is no unfinished {pipeline} of cluster {cluster} to resume',
      cause: 'No run was recorded in the work directory, or the last one ended well.',
      fix: 'run the same command without --resume',
    },
    zh: {
      problem: '集群 {cluster} 没有未完成的 {pipeline} 可以继续',
      cause: '工作目录中没有记录，或上一次运行已成功结束。',
      fix: '去掉 --resume 重新执行',
    },
  },
  KX_LOCKED: {
    kind: 'locked',
    en: {
      problem: 'cluster {cluster} is being worked on by {owner} since {since}',
      cause: 'Two runs on one cluster would undo each other.',
      fix: 'wait for that run to end, or cancel it',
    },
    zh: {
      problem: '集群 {cluster} 自 {since} 起正由 {owner} 操作',
      cause: '同一集群上的两个运行会互相破坏。',
      fix: '等待该运行结束，或取消它',
    },
  },
  KX_FENCED: {
    kind: 'locked',
    en: {
      problem: 'the host has been taken over by run number {newer}; this run has number {own}',
      cause: 'This run lost its lease (a pause, a clock jump, a cut network) and another one started.',
      fix: 'nothing to do here: follow the newer run',
    },
    zh: {
      problem: '该主机已由编号 {newer} 的运行接管；本次运行编号为 {own}',
      cause: '本次运行失去了租约（暂停、时钟跳变或断网），另一个运行已开始。',
      fix: '无需处理：请关注较新的运行',
    },
  },
  KX_LEDGER_CORRUPT: {
    kind: 'step',
    en: {
      problem: 'the ledger of the host is damaged at line {line}',
      cause: '/var/lib/kubexm/ledger.jsonl was edited or the disk lost data.',
      fix: 'put the file back from a backup; kubexm will not guess what it owns',
    },
    zh: {
      problem: '主机账本第 {line} 行已损坏',
      cause: '/var/lib/kubexm/ledger.jsonl 被修改或磁盘丢失数据。',
      fix: '从备份恢复该文件；kubexm 不会猜测自己拥有什么',
    },
  },
  KX_NOT_CLEAN: {
    kind: 'step',
    en: {
      problem: '{count} things kubexm made are still there: {what}',
      cause: 'Something could not be removed, or was put back by another program.',
      fix: 'run delete again; if it stays, remove the named things by hand',
    },
    zh: {
      problem: '仍残留 {count} 项 kubexm 创建的内容：{what}',
      cause: '有内容无法删除，或被其他程序恢复。',
      fix: '再次执行删除；若仍存在，请手动删除所列内容',
    },
  },
  KX_PREFLIGHT: {
    kind: 'preflight',
    en: {
      problem: 'preflight found {count} problems on {hosts} hosts',
      cause: 'Hosts are not fit for what is planned; each finding above has its own code and fix.',
      fix: 'mend the findings above, or accept one by its code with preflight.skipChecks',
    },
    zh: {
      problem: '预检在 {hosts} 台主机上发现 {count} 个问题',
      cause: '主机不满足计划的要求；上面的每个发现都有自己的代码和修复方法。',
      fix: '修复上述问题，或在 preflight.skipChecks 中按代码接受',
    },
  },
  KX_HOSTS_UNREACHABLE: {
    kind: 'connection',
    en: {
      problem: '{count} of {total} hosts cannot be reached',
      cause: 'Each host has its own reason, named with it.',
      fix: 'mend each host as its line says, or leave it out with --limit',
    },
    zh: {
      problem: '{total} 台主机中有 {count} 台无法连接',
      cause: '每台主机各有原因，见其所在行。',
      fix: '按各行提示修复主机，或用 --limit 排除',
    },
  },
  KX_ARCH_UNKNOWN: {
    kind: 'preflight',
    en: {
      problem: 'the host has a processor of type {arch}, for which there is nothing to install',
      cause: 'kubexm installs for amd64 and arm64.',
      fix: 'take this host out of the config',
    },
    zh: { problem: '主机的处理器类型为 {arch}，没有可安装的内容', cause: 'kubexm 仅支持 amd64 和 arm64。', fix: '从配置中移除该主机' },
  },
})
