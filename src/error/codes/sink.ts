import { defineCodes } from '../define.ts'

/** Logs, metrics and event records. */
export const sinkCodes = defineCodes({
  KX_METRICS_PORT: {
    kind: 'usage',
    en: {
      problem: 'cannot serve metrics on {address}: {why}',
      cause: 'Another program listens on the port, or the port or address is not allowed to this user.',
      fix: 'choose another port with --metrics-port',
    },
    zh: {
      problem: '无法在 {address} 上提供指标：{why}',
      cause: '端口已被其他程序占用，或当前用户无权使用该端口或地址。',
      fix: '用 --metrics-port 选择其他端口',
    },
  },
  KX_RECORD_WRITE: {
    kind: 'usage',
    en: {
      problem: 'cannot write {file}: {why}',
      cause: 'The disk is full, or the file or its directory may not be written by this user.',
      fix: 'free space or choose another place for the file; the run itself is not affected',
    },
    zh: {
      problem: '无法写入 {file}：{why}',
      cause: '磁盘已满，或当前用户无权写入该文件或目录。',
      fix: '释放空间或为该文件选择其他位置；运行本身不受影响',
    },
  },
  KX_RECORD_CORRUPT: {
    kind: 'usage',
    en: {
      problem: '{file}:{line} is not an event',
      cause: 'The event record was edited, or is not one.',
      fix: 'check that the file is an event record of kubexm',
    },
    zh: {
      problem: '{file}:{line} 不是有效的事件',
      cause: '事件记录被修改过，或者该文件不是事件记录。',
      fix: '请确认该文件是 kubexm 的事件记录',
    },
  },
})
