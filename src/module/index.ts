export { defineModule, type Intent, type Module } from './define.ts'
export {
  balancerModule,
  certificatesModule,
  controlPlaneModule,
  dnsModule,
  etcdModule,
  groundworkModule,
  imagesModule,
  networkModule,
  nodesModule,
  readinessModule,
  registryModule,
} from './kubernetes.ts'
export { finishModule, membershipModule, nodeModule, ownershipModule } from './node.ts'
export { preflightModule, preflightOnlyModule } from './preflight.ts'
export { artifactsModule, runtimeModule } from './runtime.ts'
