/** Options of every long-running command. */
export interface ServiceOptions {
  readonly directory: string
}

export interface WorkerFlags extends ServiceOptions {
  readonly concurrency: number
  readonly retention: number
  readonly adopt: boolean
  readonly metricsPort?: number
}

export interface ApiFlags extends ServiceOptions {
  readonly listen: string
  readonly tlsCert?: string
  readonly tlsKey?: string
  readonly rateLimit: number
  readonly trustConfigs: boolean
  readonly console?: string
}
