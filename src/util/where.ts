/** A machine's name in the config; `local` is the machine kubexm runs on. */
export type HostName = string

/** The place in a run that something is about. */
export interface Where {
  readonly pipelineId: string
  readonly pipeline: string
  readonly module?: string
  readonly task?: string
  readonly step?: string
  readonly host?: HostName
}
