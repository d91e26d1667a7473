export type { DryRun } from '../engine/index.ts'
export type { PipelineName } from '../pipeline/index.ts'
export { dryRunOperation, planOperation, type RunRequest, runOperation, savePlan } from './operation.ts'
