export { kubernetesVersions } from './catalogue/versions.ts'
export {
  type Addon,
  type Bastion,
  type Cluster,
  type ClusterHost,
  type ClusterSpec,
  hostsOf,
  type Role,
  roles,
  rolesOf,
} from './cluster.ts'
export { type Conversion, convertConfig } from './convert.ts'
export { explain } from './explain.ts'
export { highAvailability, type InitOptions, initConfig, schemaFile } from './init.ts'
export { jsonSchema } from './json-schema.ts'
export { configError, loadCluster, readCluster } from './load.ts'
export { type ParseResult, parseCluster } from './parse.ts'
export { type ConfigProblem, renderProblem } from './problem.ts'
export type { JsonSchema } from './schema-index.ts'
export { type Ask, Secret, type SecretReference } from './secret.ts'
export { configHash, plainCluster, serializeCluster } from './serialize.ts'
