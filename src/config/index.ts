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
export { placeOfField } from './field-place.ts'
export { fillReferences } from './fill-references.ts'
export { hostLayout } from './host-layout.ts'
export { highAvailability, type InitOptions, initConfig, schemaFile } from './init.ts'
export { jsonSchema } from './json-schema.ts'
export { type Membership, membershipOf, movedFields } from './kept-fields.ts'
export { configError, loadCluster, readCluster, readConfigText } from './load.ts'
export { type ParseResult, parseCluster } from './parse.ts'
export { type ConfigProblem, renderProblem } from './problem.ts'
export { maskConfig, sealConfig } from './sealing.ts'
export { type Ask, SecretSource } from './secret.ts'
export {
  apiServerPort,
  apiServerUrl,
  apiUrlFor,
  clusterDnsAddresses,
  contextName,
  endpointAddressFor,
  etcdClientUrl,
  etcdPeerUrl,
  etcdUrls,
  inUrl,
  mastersOf,
  publicApiUrl,
  serviceAddresses,
} from './topology.ts'
