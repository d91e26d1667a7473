export { defineModule, type Intent, type Module } from './define.ts'
export { nodeModule, ownershipModule } from './node.ts'
export { preflightModule, preflightOnlyModule } from './preflight.ts'
