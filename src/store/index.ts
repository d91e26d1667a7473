export { type RecordedAudit, readAudit, recordAudit } from './audit.ts'
export { type Claim, type Claimant, claimJob, endJob, type JobEnd, renewLease, standingOf } from './claims.ts'
export { type ClusterRecord, findCluster, lastConfigJob, listClusters } from './clusters.ts'
export { type Database, databaseId, isPostgres, isReady, openDatabase, settingOf } from './database.ts'
export { appendEvents, lastEvents, mostEventsAtOnce, readEvents, readEventsOf, type StoredEvent } from './events.ts'
export { endDeadForeground, startForeground } from './foreground.ts'
export { readGraph, saveGraph } from './graphs.ts'
export {
  configOf,
  countJobs,
  cursorOf,
  findJob,
  type Job,
  jobStatuses,
  listJobs,
  type NewJob,
  requestCancel,
  requestResume,
  submitJob,
} from './jobs.ts'
export { removeOldAudit, removeOldJobs } from './retention.ts'
export type { TokenRole } from './tables.ts'
export { createToken, hasTokens, type ListedToken, listTokens, ownerOf, revokeToken, type TokenOwner } from './tokens.ts'
