export { giveUpOwnership, membership } from './tasks.ts'
