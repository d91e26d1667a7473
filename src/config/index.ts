export {
  type Bastion,
  type Cluster,
  type ClusterHost,
  type ClusterSpec,
  hostsOf,
  type Role,
  roles,
} from './cluster.ts'
export { convertConfig } from './convert.ts'
export { explain } from './explain.ts'
export { hostLayout } from './host-layout.ts'
export { highAvailability, type InitOptions, initConfig, schemaFile } from './init.ts'
export { jsonSchema } from './json-schema.ts'
export { loadCluster, readCluster } from './load.ts'
export { type ParseResult, parseCluster } from './parse.ts'
export { renderProblem } from './problem.ts'
export { type Ask, Secret } from './secret.ts'
export {
  apiServerPort,
  apiServerUrl,
  apiUrlFor,
  balancesOnWorkers,
  clusterDnsAddresses,
  endpointAddressFor,
  etcdUrls,
  inUrl,
  mastersOf,
  publicApiUrl,
  serviceAddresses,
} from './topology.ts'
