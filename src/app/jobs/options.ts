import type { Json } from '../../util/json.ts'
import type { SourceChoice } from '../artifact-store.ts'

/** How a job is to be run; kept with it. */
export interface JobOptions {
  readonly rehearse: boolean
  /** Simulated hosts take as long as real ones would. */
  readonly realTime: boolean
  readonly rollbackOnFailure: boolean
  readonly purgeData: boolean
  readonly parallel: number | null
  /** Only these hosts; empty: all. */
  readonly limitHosts: readonly string[]
  /** The module after which to stop; null: none. */
  readonly until: string | null
  /** How many hosts may fail without ending the run. */
  readonly maxFailed: number
  readonly sources: SourceChoice
  /** A plan saved before: the job is refused when it would not do the same. */
  readonly savedPlan: string | null
  /** Where relative paths in the config start from. */
  readonly configDirectory: string
}

const usual: JobOptions = {
  rehearse: false,
  realTime: false,
  rollbackOnFailure: false,
  purgeData: false,
  parallel: null,
  limitHosts: [],
  until: null,
  maxFailed: 0,
  sources: {},
  savedPlan: null,
  configDirectory: '.',
}

/** Options of which only some are given. */
export const jobOptions = (given: Partial<JobOptions> = {}): JobOptions => ({ ...usual, ...given })

/** Whether a job changes real machines. */
export const changes = (pipeline: string, { rehearse }: JobOptions): boolean => pipeline !== 'preflight' && !rehearse

/** The options of a job as they are kept. */
export const optionsToJson = (options: JobOptions): Json => ({
  ...options,
  sources: { ...options.sources },
  // JSON has no infinity.
  maxFailed: Number.isFinite(options.maxFailed) ? options.maxFailed : null,
})

/** The options a job was recorded with; what a version did not know yet is as usual. */
export function optionsFromJson(json: Json): JobOptions {
  const options = jobOptions(json as Partial<JobOptions>)
  return { ...options, maxFailed: options.maxFailed ?? Number.POSITIVE_INFINITY }
}
