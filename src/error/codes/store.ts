import { defineCodes } from '../define.ts'

/** The job database and what workers do with it. */
export const storeCodes = defineCodes({
  KX_STORE_UNAVAILABLE: {
    kind: 'connection',
    en: {
      problem: 'the job database {store} cannot be used: {why}',
      cause: 'The server does not answer, refuses the login, or the file cannot be read or written.',
      fix: 'check KUBEXM_DATABASE_URL, that the server runs, and that this user may use the database',
    },
    zh: {
      problem: '无法使用任务数据库 {store}：{why}',
      cause: '服务器没有应答、拒绝登录，或数据库文件不可读写。',
      fix: '检查 KUBEXM_DATABASE_URL、服务器是否运行，以及当前用户是否有权使用该数据库',
    },
  },
  KX_STORE_NEWER: {
    kind: 'usage',
    en: {
      problem: 'the job database has schema {found}, this version of kubexm knows schemas up to {known}',
      cause: 'A newer version of kubexm has used the database; what it wrote may mean something this one does not know.',
      fix: 'use the newer version of kubexm, or another database',
    },
    zh: {
      problem: '任务数据库的结构版本为 {found}，当前 kubexm 只认识到 {known}',
      cause: '更新版本的 kubexm 使用过该数据库；它写入的内容当前版本可能无法理解。',
      fix: '使用更新版本的 kubexm，或换一个数据库',
    },
  },
  KX_JOB_AMBIGUOUS: {
    kind: 'usage',
    en: {
      problem: 'more than one job begins with {id}',
      cause: 'A shortened id must belong to one job only.',
      fix: 'give more characters of the id; list the jobs with: kubexm get jobs',
    },
    zh: {
      problem: '有多个任务以 {id} 开头',
      cause: '缩写的 ID 必须只对应一个任务。',
      fix: '写出更多位 ID；用 kubexm get jobs 列出任务',
    },
  },
  KX_JOB_ABANDONED: {
    kind: 'step',
    en: {
      problem: 'the process that ran this job ended without a word',
      cause: 'It was killed, or its machine went down, and a job of a terminal is not taken over by workers.',
      fix: 'continue it with the same command and --resume, or with: kubexm resume job ID',
    },
    zh: {
      problem: '运行该任务的进程没有留下任何消息就结束了',
      cause: '它被强制终止，或所在机器宕机；终端中运行的任务不会被 worker 接管。',
      fix: '用同一命令加 --resume 继续，或执行 kubexm resume job ID',
    },
  },
  KX_PIPELINE_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'this version of kubexm has no pipeline {pipeline}',
      cause: 'The job was recorded by another version of kubexm.',
      fix: 'run workers of the version that recorded the job',
    },
    zh: {
      problem: '当前版本的 kubexm 没有流水线 {pipeline}',
      cause: '该任务由另一版本的 kubexm 记录。',
      fix: '使用记录该任务的版本的 worker',
    },
  },
  KX_CLUSTER_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'no job was ever about a cluster called {cluster}',
      cause: 'The name is misspelt, or the cluster was made with another job database.',
      fix: 'list the clusters with: kubexm get clusters; or send a config',
    },
    zh: {
      problem: '没有任何任务涉及名为 {cluster} 的集群',
      cause: '名称拼写有误，或该集群是用另一个任务数据库创建的。',
      fix: '用 kubexm get clusters 列出集群；或发送一份配置',
    },
  },
  KX_IDEMPOTENCY: {
    kind: 'usage',
    en: {
      problem: 'this Idempotency-Key was used for another request, which made job {id}',
      cause: 'A key stands for one request: sent again with another config or other options it would be lost.',
      fix: 'use a new key for a new request',
    },
    zh: {
      problem: '该 Idempotency-Key 已用于另一个请求，它创建了任务 {id}',
      cause: '一个键只代表一个请求：换了配置或选项再次发送会被忽略。',
      fix: '新的请求使用新的键',
    },
  },
  KX_CURSOR: {
    kind: 'usage',
    en: {
      problem: '{cursor} is not the end of a page',
      cause: 'A list goes on with the value its last page gave as next.',
      fix: 'pass back next as it was given, or begin with the first page',
    },
    zh: {
      problem: '{cursor} 不是某一页的结尾',
      cause: '列表的下一页要用上一页返回的 next 值继续。',
      fix: '原样传回 next，或从第一页开始',
    },
  },
  KX_JOB_UNKNOWN: {
    kind: 'usage',
    en: {
      problem: 'there is no job {id}',
      cause: 'The id is misspelt, the job was removed by retention, or it is in another database.',
      fix: 'list the jobs with: kubexm get jobs',
    },
    zh: {
      problem: '没有任务 {id}',
      cause: 'ID 拼写有误、任务已按保留策略删除，或它在另一个数据库中。',
      fix: '用 kubexm get jobs 列出任务',
    },
  },
  KX_JOB_STATE: {
    kind: 'usage',
    en: {
      problem: 'job {id} is {status}: it cannot be {verb}',
      cause: 'Only a waiting or running job can be cancelled, and only one that failed or was cancelled can be resumed.',
      fix: 'look at it with: kubexm get job {id}',
    },
    zh: {
      problem: '任务 {id} 的状态是 {status}：不能执行 {verb}',
      cause: '只有等待中或运行中的任务可以取消，只有失败或已取消的任务可以恢复。',
      fix: '用 kubexm get job {id} 查看',
    },
  },
  KX_JOB_LOST: {
    kind: 'locked',
    en: {
      problem: 'job {id} was taken over by another worker',
      cause: 'This worker did not renew its lease in time: it was paused, or lost the database.',
      fix: 'nothing to do: the other worker goes on; follow it with: kubexm logs job {id} -f',
    },
    zh: {
      problem: '任务 {id} 已被另一个 worker 接管',
      cause: '该 worker 未能及时续租：它被暂停，或与数据库失去连接。',
      fix: '无需操作：另一个 worker 会继续；用 kubexm logs job {id} -f 跟踪',
    },
  },
  KX_CONFIG_NOT_PORTABLE: {
    kind: 'config',
    en: {
      problem: '{what} cannot be used in a config that is sent to a server',
      cause: 'It would mean something on the machine of the server, which neither has it nor may give it away.',
      fix: '{how}',
    },
    zh: {
      problem: '发送给服务器的配置中不能使用 {what}',
      cause: '它指的会是服务器所在机器上的东西：服务器既没有它，也不应交出它。',
      fix: '{how}',
    },
  },
  KX_SEAL_KEY: {
    kind: 'usage',
    en: {
      problem: 'the sealing key from {from} cannot be used: {why}',
      cause:
        'Secrets in the job database are sealed with a key of 32 bytes, given as 64 hexadecimal digits; all processes need the same one.',
      fix: 'give the key the database was filled with, in KUBEXM_SEALING_KEY or KUBEXM_SEALING_KEY_FILE',
    },
    zh: {
      problem: '来自 {from} 的密封密钥不可用：{why}',
      cause: '任务数据库中的机密用 32 字节的密钥（64 位十六进制）密封；所有进程必须使用同一密钥。',
      fix: '在 KUBEXM_SEALING_KEY 或 KUBEXM_SEALING_KEY_FILE 中提供写入该数据库时所用的密钥',
    },
  },
})
