export { defineModule, type Intent, type Module } from './define.ts'
export { finishModule, nodeModule, ownershipModule } from './node.ts'
export { preflightModule, preflightOnlyModule } from './preflight.ts'
export { artifactsModule, runtimeModule } from './runtime.ts'
