export {
  countJobs,
  createToken,
  cursorOf,
  endDeadForeground,
  findJob,
  hasTokens,
  type Job,
  listClusters,
  listJobs,
  listTokens,
  recordAudit,
  requestCancel,
  requestResume,
  revokeToken,
} from '../../store/index.ts'
export { type ClusterSummary, type ClusterView, clusterConfig, clusterSummary, clusterView, knownCluster } from './cluster-view.ts'
export { followJob, isOver } from './follow.ts'
export { runForeground, runWaiting } from './foreground.ts'
export { jobGraph } from './graph.ts'
export { errorJson, type JobJson, jobToJson } from './job-json.ts'
export { leaseTime } from './keep-claim.ts'
export { type Jobs, openJobs } from './open.ts'
export { type JobOptions, jobOptions } from './options.ts'
export { runJob } from './run.ts'
export { submitForCluster, submitJob } from './submit.ts'
