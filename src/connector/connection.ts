import type { Secret } from '../util/secret.ts'

/** How one command's bytes come and go. */
export interface ExecIo {
  /** Aborting it ends the remote process as well, not only our waiting for it. */
  readonly signal: AbortSignal
  readonly stdin?: AsyncIterable<Uint8Array> | Uint8Array | string
  onStdout(chunk: Uint8Array): void
  onStderr(chunk: Uint8Array): void
  /**
   * How the script that ends this command is run on the machine, where that needs other rights than the login has
   * (a command under sudo cannot be ended by the user who started sudo).
   */
  elevate?(script: string): { readonly command: string; readonly stdin?: string }
}

/** How a remote process ended. */
export interface ExecResult {
  readonly code: number
  /** The name of the signal that ended it, without `SIG`. */
  readonly signal?: string
}

/**
 * A way to run programs on one machine: the least a transport must offer.
 * Files, services, packages and sudo are built above it from commands.
 */
export interface Connection extends AsyncDisposable {
  /** Runs a line of POSIX shell under `/bin/sh`, whatever the login shell and its start-up files are. */
  exec(command: string, io: ExecIo): Promise<ExecResult>
  /** Whether the user this connection logged in as is root. */
  readonly root: boolean
  /** The user this connection logged in as. */
  readonly user?: string
  /** False once the connection is lost or closed; a dead one is never used again. */
  readonly alive?: boolean
}

/** Makes connections to one machine. */
export interface Connector {
  readonly kind: 'ssh' | 'local' | 'simulated'
  connect(signal: AbortSignal): Promise<Connection>
}

/** One login: the target itself or a jump host before it. */
export interface SshLogin {
  /** An address, a name, or a `Host` of the SSH client configuration. */
  readonly address: string
  /** 0: as the SSH client configuration says, else 22. */
  readonly port: number
  /** Empty: as the SSH client configuration says, else the user kubexm runs as. */
  readonly user: string
  readonly password?: Secret
  readonly privateKey?: Secret
  readonly privateKeyPath?: string
  readonly passphrase?: Secret
  readonly certificatePath?: string
  /** Use the agent behind SSH_AUTH_SOCK (default: when it is set). */
  readonly agent?: boolean
}
