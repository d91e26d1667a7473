export { clusterStatus } from './status.ts'
export { type ClusterStatus, isHealthy, isWell, type StatusPart } from './types.ts'
