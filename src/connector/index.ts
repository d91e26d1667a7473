export type { Connection, ExecIo, ExecResult, SshLogin } from './connection.ts'
export { localConnector } from './local.ts'
export { ConnectionPool } from './pool.ts'
export { type SshOptions, sshConnector, sshCryptoIsNative } from './ssh.ts'
