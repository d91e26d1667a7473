/** The options every command about jobs has. */
export interface JobPlace {
  readonly directory: string
  readonly server?: string
  readonly language?: string
}

export const levels = ['debug', 'info', 'warn', 'error'] as const
export const statuses = ['Pending', 'Processing', 'Success', 'Failed', 'Cancelled'] as const

/** Options of `get jobs`. */
export interface ListOptions extends JobPlace {
  readonly output: 'text' | 'json'
  readonly cluster?: string
  readonly status?: (typeof statuses)[number]
  readonly limit: number
}

/** Options of `get job` and `logs job`. */
export interface ShowOptions extends JobPlace {
  readonly output: 'text' | 'json'
  readonly watch: boolean
}

export interface LogOptions extends JobPlace {
  readonly output: 'text' | 'json'
  readonly follow: boolean
  readonly level: (typeof levels)[number]
}

export interface ResumeOptions extends JobPlace {
  readonly detach: boolean
  readonly verbose: boolean
}
